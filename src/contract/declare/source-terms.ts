/** What the user knows of a tool that a tool source declares, and its source cannot be trusted to say. */
import { defined } from '../../util/defined.ts';
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

/** What is said of a source as a whole. */
export interface SourceFacts extends Pick<SourceToolTerms, 'limits' | 'breaker' | 'authorization'> {
  readonly name: string;
}

/** A source stands before the names of its tools: `billing.create_invoice`. */
export function isSourceName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name);
}

/** What the tools of a source have in common: one upstream, under the source's name unless another is given. */
export function sharedTerms({ name, limits, breaker, authorization }: SourceFacts): Omit<SourceFacts, 'name'> {
  const asks = defined({ authorization });
  if (limits === undefined && breaker === undefined) return asks;
  return { limits: { upstream: name, ...limits }, ...defined({ breaker }), ...asks };
}
