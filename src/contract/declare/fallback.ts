/** The fallback chain of a declaration, read as somebody wrote it. That its tools exist and fit is seen when they are all known (`check-chains.ts`). */
import { type ChainLink, maxChainLinks } from '../../call/chain.ts';
import { isRecord, type JsonValue } from '../../util/json.ts';
import type { FallbackStep } from '../contract.ts';
import { type Fields, invalid, refuseUnknown, requiredText, texts } from './fields.ts';

/** A tool that is asked when the one that declares it is down. */
export interface FallbackDeclaration<In = never> {
  readonly tool: string;
  /** Makes its arguments from those of the call; its own schema then checks them. @defaultValue the same arguments */
  readonly input?: (input: In) => unknown;
  /** Makes the result that the asked tool would have given; that tool's output schema then checks it. @defaultValue the same result */
  readonly output?: (output: never) => unknown;
  /**
   * Codes of failures after which it is asked, for example `['output-invalid', 'upstream-unavailable']`.
   * @defaultValue every failure that time may mend: a time-out, an upstream that is down or asks for fewer requests, an open breaker
   */
  readonly when?: readonly string[];
}

/** @throws AxleError `contract-invalid` */
export function readFallback(fields: Fields): readonly FallbackStep[] {
  const value: unknown = fields.values['fallback'] ?? [];
  const wanted = `a list of at most ${maxChainLinks} names of tools, or objects with tool, input, output and when`;
  if (!Array.isArray(value) || value.length > maxChainLinks) throw invalid(fields, 'fallback', wanted);
  return Object.freeze(
    value.map((item: unknown, index): FallbackStep => {
      if (typeof item === 'string' && item !== '') return Object.freeze({ tool: item });
      if (!isRecord(item)) throw invalid(fields, 'fallback', wanted);
      return readStep({ ...fields, owner: `${fields.owner}, fallback ${index + 1}`, values: item });
    }),
  );
}

function readStep(fields: Fields): FallbackStep {
  refuseUnknown(fields, ['tool', 'input', 'output', 'when']);
  const { input, output, when } = fields.values;
  if (input !== undefined && !isMapping(input)) throw invalid(fields, 'input', 'a function');
  if (output !== undefined && !isMapping(output)) throw invalid(fields, 'output', 'a function');
  return Object.freeze({
    tool: requiredText(fields, 'tool'),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(when === undefined ? {} : { when: texts(fields, 'when', 50) }),
  });
}

/** What the call machine needs of a chain; undefined where there is none. */
export function chainTerms(steps: readonly FallbackStep[]): readonly ChainLink[] | undefined {
  if (steps.length === 0) return undefined;
  return Object.freeze(
    steps.map(({ tool, when }): ChainLink => Object.freeze({ tool, ...(when === undefined ? {} : { when }) })),
  );
}

// A function's parameters leave no trace at run time; what it gives is checked by a schema.
function isMapping(value: unknown): value is (value: JsonValue) => unknown {
  return typeof value === 'function';
}
