/**
 * Where in the stream of a run a reader stands, and how that is written as an id.
 *
 *     1.12      the entry 12, which epoch 1 wrote
 *     1.12+3    the third provisional event after it
 *     1.12!     the reset after it: what was provisional does not count
 */
import { AxleError } from '../error/axle-error.ts';

export interface StreamPlace {
  readonly epoch: number;
  /** The last entry before the place; 0 for none. */
  readonly seq: number;
  /** Provisional events after that entry; infinite once they do not count. */
  readonly ahead: number;
}

/** The id of a place. */
export function idOf({ epoch, seq, ahead }: StreamPlace): string {
  if (ahead === Infinity) return `${epoch}.${seq}!`;
  return ahead === 0 ? `${epoch}.${seq}` : `${epoch}.${seq}+${ahead}`;
}

const form = /^(\d{1,15})\.(\d{1,15})(?:\+(\d{1,15})|(!))?$/u;

/** The place of an id. @throws AxleError `usage-invalid` */
export function placeOf(id: string): StreamPlace {
  const match = form.exec(id);
  if (match === null) {
    throw new AxleError('usage-invalid', `An event id is like 1.12 or 1.12+3, and not ${JSON.stringify(id)}.`);
  }
  const [, epoch, seq, ahead, isReset] = match;
  return { epoch: Number(epoch), seq: Number(seq), ahead: isReset === undefined ? Number(ahead ?? 0) : Infinity };
}

/** Whether one place stands before another. Within one run the epoch says nothing: the sequence has one owner at a time. */
export function isBefore(left: Omit<StreamPlace, 'epoch'>, right: Omit<StreamPlace, 'epoch'>): boolean {
  return left.seq < right.seq || (left.seq === right.seq && left.ahead < right.ahead);
}
