/** What of an upstream outlives its process, as it stands in the store, and what a person's last order makes of it. Pure. */
import { breakerKinds, type BreakerKind } from '../../journal/upstream-entries.ts';
import type { StoredOrder, UpstreamRecord } from '../../journal/store.ts';
import { isRecord, type JsonValue, toJson } from '../../util/json.ts';
import type { BreakerState } from './breaker.ts';
import type { Filling } from './token-bucket.ts';
import type { BreakerChange } from './upstreams.ts';

export type DatedChange = BreakerChange & { readonly atMs: number };

export interface KeptState {
  readonly breaker: BreakerState;
  readonly pausedUntilMs?: number;
  /** Only as it was when its driver was closed: of a bucket in use the last state is not known. */
  readonly bucket?: Filling;
  /** The last order that was carried out. */
  readonly order: number;
  /** Newest first. */
  readonly changes: readonly DatedChange[];
}

/** Changes of a breaker that are kept. */
export const maxChanges = 10;

/** A state as it is stored. */
export function storedState(state: KeptState): JsonValue {
  return toJson(state);
}

/** What a record says, its order carried out. Of a record that another release wrote in another form, what can be read. */
export function stateOf({ kept, order }: Pick<UpstreamRecord, 'kept' | 'order'>, nowMs: number): KeptState {
  const state = (kept === undefined ? undefined : readState(kept.state)) ?? newState(nowMs);
  return order === undefined || order.number <= state.order ? state : afterOrder(state, order);
}

/** The state of an upstream that nobody has called. */
export function newState(nowMs: number): KeptState {
  return { breaker: { kind: 'closed', sinceMs: nowMs, reason: 'it was never opened' }, order: 0, changes: [] };
}

/** What is said of a person's order. */
export function reasonOf({ by, reason }: Pick<StoredOrder, 'by' | 'reason'>): string {
  return `${by === undefined ? 'by hand' : `by ${by}`}${reason === undefined ? '' : `: ${reason}`}`;
}

/** The state of the breaker that an order asks for. */
export function wantedBy({ action }: Pick<StoredOrder, 'action'>): 'open' | 'closed' {
  return action === 'open' ? 'open' : 'closed';
}

function afterOrder(state: KeptState, order: StoredOrder): KeptState {
  const kind = wantedBy(order);
  const reason = reasonOf(order);
  const { pausedUntilMs: _forgotten, ...rest } = state;
  const base = order.action === 'reset' ? rest : state;
  const isAlready = state.breaker.kind === kind && state.breaker.untilMs === undefined;
  if (isAlready) return { ...base, order: order.number };
  const change: DatedChange = { from: state.breaker.kind, to: kind, reason, atMs: order.atMs };
  return {
    ...base,
    breaker: { kind, sinceMs: order.atMs, reason },
    order: order.number,
    changes: [change, ...state.changes].slice(0, maxChanges),
  };
}

function readState(value: JsonValue): KeptState | undefined {
  if (!isRecord(value)) return undefined;
  const { breaker, pausedUntilMs, bucket, order, changes } = value;
  if (!isBreakerState(breaker)) return undefined;
  return {
    breaker,
    ...(isTime(pausedUntilMs) ? { pausedUntilMs } : {}),
    ...(isFilling(bucket) ? { bucket } : {}),
    order: isTime(order) ? order : 0,
    changes: Array.isArray(changes) ? changes.filter(isDatedChange) : [],
  };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isKind(value: unknown): value is BreakerKind {
  return breakerKinds.some((kind) => kind === value);
}

function isBreakerState(value: unknown): value is BreakerState {
  return (
    isRecord(value) &&
    isKind(value['kind']) &&
    isTime(value['sinceMs']) &&
    typeof value['reason'] === 'string' &&
    (value['untilMs'] === undefined || isTime(value['untilMs']))
  );
}

function isFilling(value: unknown): value is Filling {
  return isRecord(value) && isTime(value['tokens']) && isTime(value['atMs']);
}

function isDatedChange(value: unknown): value is DatedChange {
  return (
    isRecord(value) &&
    isKind(value['from']) &&
    isKind(value['to']) &&
    isTime(value['atMs']) &&
    typeof value['reason'] === 'string' &&
    (value['untilMs'] === undefined || isTime(value['untilMs']))
  );
}
