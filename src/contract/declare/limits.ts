/** `limits` and `breaker` as they are written, and read: of a tool, and of a named upstream of an Axle. */
import { defined } from '../../util/defined.ts';
import type { DeclaredUpstream } from '../contract.ts';
import {
  type BreakerSettings,
  type DeclaredSettings,
  defaultBreaker,
  parseRate,
  type Rate,
} from '../upstream-settings.ts';
import { type Fields, invalid, optionalDurationMs, optionalNumber, optionalText, part } from './fields.ts';

/** The limits of an upstream as they are written. */
export interface UpstreamLimits {
  /** Attempts in a time: `5/s`, `100/min`, `3/10s`. @defaultValue no limit */
  readonly rate?: string;
  /** Attempts that may start at once after a rest. @defaultValue a tenth of the rate, at least 1 */
  readonly burst?: number;
  /** Attempts under way at once. @defaultValue no limit */
  readonly concurrency?: number;
  /** Calls that may wait, over all runs, 0 to 100,000. Beyond it: `upstream-queue-full`. @defaultValue 100 */
  readonly queue?: number;
  /** How long a call may wait, 0 to 1 h. Beyond it: `upstream-wait-too-long`. @defaultValue '1m' */
  readonly maxWait?: number | string;
}

/** The limits of a tool, and the upstream that it shares with others. */
export interface LimitsDeclaration extends UpstreamLimits {
  /** Letters, digits, `_`, `-` and `.`, at most 64. @defaultValue an upstream of the tool's own */
  readonly upstream?: string;
}

/** When the breaker of an upstream opens, and for how long. What counts is a failure of the upstream: retryable, or a time-out. */
export interface BreakerDeclaration {
  /** Time over which calls are counted. @defaultValue '1m' */
  readonly window?: number | string;
  /** Calls in the window before the ratio counts. @defaultValue 10 */
  readonly minimumCalls?: number;
  /** Part of the calls in the window at whose failure it opens, 0.01 to 1. @defaultValue 0.5 */
  readonly failureRatio?: number;
  /** Failures in a row at which it opens. @defaultValue 5 */
  readonly consecutiveFailures?: number;
  /** How long it stays open before one call may try. @defaultValue '30s' */
  readonly openFor?: number | string;
}

const hourMs = 3_600_000;
const limitFields = ['rate', 'burst', 'concurrency', 'queue', 'maxWait'];
const breakerFields = ['window', 'minimumCalls', 'failureRatio', 'consecutiveFailures', 'openFor'];
const upstreamName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/u;

/** What a tool's declaration says of its upstream; undefined when it neither limits its calls nor wants a breaker. A tool that names none has one of its own. */
export function readUpstream(fields: Fields, tool: string): DeclaredUpstream | undefined {
  if (fields.values['limits'] === undefined && fields.values['breaker'] === undefined) return undefined;
  const limits = part(fields, 'limits', ['upstream', ...limitFields]);
  const named = optionalText(limits, 'upstream');
  if (named !== undefined) checkUpstreamName(limits, 'upstream', named);
  return Object.freeze({
    upstream: named ?? ownUpstream(tool),
    settings: settingsOf(limits, readBreaker(fields)),
  });
}

/** The upstream of a tool that names none. No declared name holds a colon. */
function ownUpstream(tool: string): string {
  return `tool:${tool}`;
}

/** @throws AxleError of the fields' code */
export function checkUpstreamName(fields: Fields, field: string, name: string): void {
  if (upstreamName.test(name)) return;
  throw invalid(fields, field, 'a name of 1 to 64 letters, digits, _, - or ., beginning with no . or -');
}

/** The settings of a named upstream: the limits and the breaker side by side. */
export function readUpstreamSettings(fields: Fields, name: string): DeclaredSettings {
  const upstream = part(fields, name, [...limitFields, 'breaker']);
  return settingsOf(upstream, readBreaker(upstream));
}

function settingsOf(limits: Fields, breaker: BreakerSettings | false | undefined): DeclaredSettings {
  const rate = readRate(limits);
  const burst = optionalNumber(limits, 'burst', { from: 1, to: 1_000_000, whole: true });
  if (burst !== undefined && rate === undefined) throw invalid(limits, 'burst', 'left out where there is no rate');
  return Object.freeze(
    defined({
      rate,
      burst,
      concurrency: optionalNumber(limits, 'concurrency', { from: 1, to: 100_000, whole: true }),
      queue: optionalNumber(limits, 'queue', { from: 0, to: 100_000, whole: true }),
      maxWaitMs: optionalDurationMs(limits, 'maxWait', { fromMs: 0, toMs: hourMs }),
      breaker,
    }),
  );
}

function readRate(limits: Fields): Rate | undefined {
  const { rate } = limits.values;
  if (rate === undefined) return undefined;
  const parsed = parseRate(rate);
  if (parsed === undefined) throw invalid(limits, 'rate', "a text such as '5/s', '100/min' or '3/10s'");
  return parsed;
}

function readBreaker(fields: Fields): BreakerSettings | false | undefined {
  const { breaker } = fields.values;
  if (breaker === undefined || breaker === false) return breaker;
  if (breaker === true) return defaultBreaker;
  const given = part(fields, 'breaker', breakerFields);
  const failureRatio = optionalNumber(given, 'failureRatio', { from: 0.01, to: 1 });
  const counts = { from: 1, to: 1_000_000, whole: true };
  return Object.freeze({
    windowMs: optionalDurationMs(given, 'window', { fromMs: 10, toMs: 24 * hourMs }) ?? defaultBreaker.windowMs,
    minimumCalls: optionalNumber(given, 'minimumCalls', counts) ?? defaultBreaker.minimumCalls,
    failureRatio: failureRatio ?? defaultBreaker.failureRatio,
    consecutiveFailures: optionalNumber(given, 'consecutiveFailures', counts) ?? defaultBreaker.consecutiveFailures,
    openForMs: optionalDurationMs(given, 'openFor', { fromMs: 1, toMs: 24 * hourMs }) ?? defaultBreaker.openForMs,
  });
}
