/** The users that sandboxes run as when root starts them: numbers that neither people nor systemd use (61000 to 61183). */
import { randomInt } from 'node:crypto';
import process from 'node:process';

const firstJob = 61_000;
const firstServer = 61_128;
const end = 61_184;

/** As many jobs as can run at a time. */
export const maxUserIds = firstServer - firstJob;

/** One number for each job that runs, given back when it is gone. */
export class UserIds {
  readonly #taken = new Set<number>();

  /** `own` when this process is not root: then a job runs as its user. Undefined when all are taken. */
  take(): number | 'own' | undefined {
    if (process.getuid?.() !== 0) return 'own';
    for (let userId = firstJob; userId < firstServer; userId += 1) {
      if (this.#taken.has(userId)) continue;
      this.#taken.add(userId);
      return userId;
    }
    return undefined;
  }

  giveBack(userId: number | 'own'): void {
    if (userId !== 'own') this.#taken.delete(userId);
  }
}

/** A number for a program that lives as long as it likes. Two may share one: neither sees the other's processes. */
export function serverUserId(): number {
  return randomInt(firstServer, end);
}
