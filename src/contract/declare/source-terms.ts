/** What the user knows of a tool that a tool source declares, and its source cannot be trusted to say. */
import type { JsonObject } from '../../util/json.ts';
import type { ToolContext, VerifyAnswer } from '../contract.ts';
import type { ToolFacts } from '../tool.ts';

/** The part of a tool's declaration that is the user's where schemas and code are the source's. */
export interface SourceToolTerms extends Pick<
  ToolFacts,
  | 'effect'
  | 'risk'
  | 'irreversible'
  | 'timeout'
  | 'retry'
  | 'parallel'
  | 'settle'
  | 'limits'
  | 'breaker'
  | 'authorization'
  | 'locks'
  | 'cache'
  | 'fallback'
  | 'aliases'
  | 'maxInvalidCalls'
  | 'whenToUse'
  | 'limitations'
  | 'expectedDuration'
  | 'cost'
> {
  /** Finds out whether a call in doubt had its effect, by whatever way the user has. */
  readonly verify?: (input: JsonObject, context: ToolContext) => VerifyAnswer | Promise<VerifyAnswer>;
}
