/** What the harness and its programs say to each other, over Node's channel between parent and child. */
import { isRecord } from '../../../src/util/json.ts';

/** How a program is started; handed over in one argument. */
export interface ProgramOptions {
  readonly storePath: string;
  readonly socketPath: string;
  readonly seed: number;
  /** How upstreams behave: like real ones, or with every answer given. */
  readonly upstream: 'rough' | 'calm';
  readonly durability: 'effects' | 'strict';
  /** Size of the log from which it is copied into the database. */
  readonly checkpointBytes: number;
}

/** From the harness. What is asked for is acknowledged, or asked for again: the key makes it the same request. */
export type Order =
  /** A program that is loaded waits for this before it touches the store, so that it can stand by. */
  | { readonly kind: 'open' }
  | { readonly kind: 'start'; readonly key: string; readonly input: string }
  | { readonly kind: 'call'; readonly key: string; readonly tool: string; readonly text: string }
  | { readonly kind: 'cancel'; readonly runId: string }
  | { readonly kind: 'message'; readonly runId: string; readonly key: string; readonly text: string }
  | { readonly kind: 'close' };

/** From a program. Each is sent only after Axle has acknowledged what it tells of. */
export type Report =
  | { readonly kind: 'loaded' | 'opened' | 'closed' | 'listening' }
  | { readonly kind: 'accepted'; readonly key: string; readonly runId: string }
  | { readonly kind: 'result'; readonly runId: string; readonly status: string; readonly output: unknown }
  | { readonly kind: 'approved' | 'denied'; readonly approvalId: string }
  | { readonly kind: 'resolved'; readonly id: string; readonly happened: boolean }
  | { readonly kind: 'cancelled'; readonly runId: string }
  | { readonly kind: 'sent'; readonly key: string; readonly runId: string; readonly text: string }
  /** Something was refused; expected ones are no reports. */
  | { readonly kind: 'refused'; readonly about: string; readonly code: string; readonly message: string };

/** Reads what came over the channel. Both ends are programs of this folder, so the kind alone is looked at. */
export function toReport(value: unknown): Report | undefined {
  return isRecord(value) && typeof value['kind'] === 'string' ? (value as unknown as Report) : undefined;
}

export function toOrder(value: unknown): Order | undefined {
  return isRecord(value) && typeof value['kind'] === 'string' ? (value as unknown as Order) : undefined;
}

export function toOptions(text: string | undefined): ProgramOptions {
  const value: unknown = JSON.parse(text ?? 'null');
  if (!isRecord(value) || typeof value['storePath'] !== 'string') {
    throw new Error('usage: node <program> <options as JSON>, started by the harness');
  }
  return value as unknown as ProgramOptions;
}
