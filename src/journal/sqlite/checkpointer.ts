/**
 * Keeps the write-ahead log from growing: at about 16 MiB it is copied into the database, on another thread.
 *
 *   resting ──log large──► copying beside writers (PASSIVE) ──► copying the rest, writers paused (RESTART) ──► resting
 *
 * H1 Under constant writing a passive checkpoint alone never ends, since the log only starts anew when nothing in it is needed. So the
 *    writers are paused for the short second half; their appends wait in the queue and the event loop stays free.
 * H2 A checkpoint that cannot be finished (a reader holds an old view, the disk is full) is not an error: the log is whole, and it is tried again when the log
 *    has grown by another sixteenth.
 * H3 The log has a bound: at four times the limit the writers wait until the checkpoint under way is over.
 * H4 The thread is started by the first large log, so a short program never pays for it, and it keeps no process alive but while it works.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { isRecord } from '../../util/json.ts';
import type { CheckpointAnswer, CheckpointRequest } from './checkpoint-worker.ts';
import { codeOf } from './sqlite-fault.ts';

export interface CheckpointerOptions {
  readonly path: string;
  /** The log's size from which it is copied. */
  readonly limitBytes: number;
  /** The size of what the log holds now. */
  readonly logBytes: () => number;
  readonly pauseWriters: () => void;
  readonly resumeWriters: () => void;
  readonly onCheckpoint: () => void;
  readonly onFatal: (error: AxleError) => void;
}

/** What a group writes besides its entries: pages of the table, its index and the runs. */
const bytesPerCommit = 5 * 8_192;
/** The log is looked at again after a sixteenth of its limit at the earliest. */
const leastShare = 16;
/** How many times the estimate a group of many long runs writes: each of them has a page of the index to itself. */
const mostPerEstimated = 4;
/** Writers that are faster than the copying wait when the log has this many times its limit. */
const writersWaitAt = 4;

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  #worker: Worker | undefined;
  #running: Promise<void> | undefined;
  /** An estimate of what was written since the log was last looked at: looking costs more than adding. */
  #unseenBytes = 0;
  /** How much of it makes another look worth while: the log has not reached its limit before. */
  #looksAfterBytes: number;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    // What the log holds at the start is not known yet.
    this.#looksAfterBytes = options.limitBytes / leastShare;
  }

  /** Told of each commit. */
  afterCommit(size: number): void {
    this.#unseenBytes += bytesPerCommit + 2 * size;
    if (this.#unseenBytes < this.#looksAfterBytes) return;
    const { limitBytes } = this.#options;
    this.#unseenBytes = 0;
    const logBytes = this.#options.logBytes();
    this.#looksAfterBytes = Math.max((limitBytes - logBytes) / mostPerEstimated, limitBytes / leastShare);
    if (logBytes < limitBytes) return;
    this.#running ??= this.#checkpoint().finally(() => {
      this.#running = undefined;
      this.#options.resumeWriters();
    });
    if (logBytes >= writersWaitAt * limitBytes) this.#options.pauseWriters();
  }

  /** Waits for the checkpoint under way and ends the thread. */
  async close(): Promise<void> {
    await this.#running;
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    worker.ref();
    const ended = once(worker, 'exit');
    worker.postMessage('CLOSE' satisfies CheckpointRequest);
    await ended;
  }

  async #checkpoint(): Promise<void> {
    /* @crashpoint sqlite-checkpoint-before */
    const copied = await this.#ask('PASSIVE');
    /* @crashpoint sqlite-checkpoint-between */
    if (!copied.ok) {
      this.#note(copied);
      return;
    }
    this.#options.pauseWriters();
    const restarted = await this.#ask('RESTART');
    /* @crashpoint sqlite-checkpoint-after */
    this.#note(restarted);
  }

  #note(answer: CheckpointAnswer): void {
    if (answer.ok) {
      if (answer.complete) this.#options.onCheckpoint();
      return;
    }
    const code = codeOf(answer.sqliteCode);
    if (code === 'store-failed') this.#options.onFatal(new AxleError(code, `A checkpoint failed: ${answer.message}.`));
  }

  /** One question to the thread. A thread that breaks answers too, and the next question starts another one. */
  async #ask(request: CheckpointRequest): Promise<CheckpointAnswer> {
    const worker = (this.#worker ??= startWorker(this.#options.path));
    worker.ref();
    try {
      return await new Promise<CheckpointAnswer>((resolve) => {
        const broken = (message: string): void => {
          if (this.#worker === worker) this.#worker = undefined;
          resolve({ ok: false, message, sqliteCode: undefined });
        };
        worker.removeAllListeners();
        worker.once('message', (answer: unknown) => resolve(readAnswer(answer)));
        worker.once('error', (error: unknown) => broken(messageOf(error)));
        worker.once('exit', () => broken('its thread ended'));
        worker.postMessage(request);
      });
    } finally {
      worker.unref();
    }
  }
}

function startWorker(path: string): Worker {
  // In a build the file lies beside this one as JavaScript.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./checkpoint-worker.${extension}`, import.meta.url), {
    workerData: path,
    name: 'axle-checkpoint',
  });
}

function readAnswer(answer: unknown): CheckpointAnswer {
  if (isRecord(answer) && answer['ok'] === true) return { ok: true, complete: answer['complete'] === true };
  const code = isRecord(answer) ? answer['sqliteCode'] : undefined;
  const message = isRecord(answer) ? answer['message'] : answer;
  return { ok: false, message: String(message), sqliteCode: typeof code === 'number' ? code : undefined };
}
