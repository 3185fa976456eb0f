/** What every store checks before it writes, so that all stores refuse the same things with the same words. */
import { AxleError } from '../error/axle-error.ts';
import type { Append } from './entry.ts';
import { maxNameLength, maxPostLength, maxUnreadPosts } from './limits.ts';
import type { AppendBatch, KeptUpstream, NewRun, Post, RunCopy } from './store.ts';

/**
 * @throws AxleError `internal` when the first append does not open a journal; `limit-exceeded` for a name that is too long.
 */
export function checkNewRun(run: NewRun): void {
  const epoch = run.claim === true ? 1 : 0;
  const { append } = run;
  if (append.epoch !== epoch || append.firstSeq !== 1) {
    throw new AxleError(
      'internal',
      `The first append of ${run.runId} has epoch ${append.epoch} and sequence ${append.firstSeq}; expected epoch ${epoch} and sequence 1.`,
    );
  }
  checkNames({ 'run id': run.runId, subject: run.subject, key: run.key, session: run.session });
}

/** The request hash of a copy: no request has it. */
export const noRequest = '';

/**
 * A copy as the request of a run that nobody can ask for again: its key belongs to the store that it came from.
 * @throws AxleError `internal` for one without entries; `limit-exceeded` for a name that is too long.
 */
export function requestOf({ runId, kind, subject, session, appends }: RunCopy): NewRun {
  const [append] = appends;
  if (append === undefined) throw new AxleError('internal', `The copy of ${runId} has no entries.`);
  checkNames({ 'run id': runId, subject, session });
  return { runId, kind, subject, ...(session === undefined ? {} : { session }), requestHash: noRequest, append };
}

/** @throws AxleError `limit-exceeded` */
export function checkPost(post: Post): void {
  checkNames({ 'unique key': post.uniqueKey });
  const length = JSON.stringify(post.body).length;
  if (length > maxPostLength) {
    throw new AxleError(
      'limit-exceeded',
      `A post holds at most ${maxPostLength} characters; this one holds ${length}.`,
    );
  }
}

/** The error of an append that does not go on where the journal of its run ends (S2); undefined when it does. */
export function fenceProblem(
  append: Append,
  found: { readonly runId: string; readonly epoch: number; readonly seq: number },
): AxleError | undefined {
  if (append.epoch === found.epoch && append.firstSeq === found.seq + 1) return undefined;
  const what = `An append to ${found.runId} has epoch ${append.epoch} and begins at ${append.firstSeq}`;
  return new AxleError('append-fenced', `${what}; the run has epoch ${found.epoch} and ends at ${found.seq}.`, {
    details: { epoch: append.epoch, firstSeq: append.firstSeq, ownerEpoch: found.epoch, lastSeq: found.seq },
  });
}

/** The error of an append that ends a run over something that was posted to it (S6); undefined when there is nothing. */
export function outdatedProblem(batch: AppendBatch, lastInboxId: number): AxleError | undefined {
  if (batch.status.state !== 'ended' || (batch.inboxCursor ?? 0) >= lastInboxId) return undefined;
  return new AxleError(
    'append-outdated',
    `The run ${batch.runId} cannot end: post ${lastInboxId} was made to it, and it has taken in what came up to ${batch.inboxCursor ?? 0}.`,
  );
}

/** True when what a driver keeps of an upstream takes the place of what is kept already (S7). */
export function supersedes(kept: KeptUpstream, before: Pick<KeptUpstream, 'writer' | 'version'> | undefined): boolean {
  return before === undefined || before.writer !== kept.writer || before.version < kept.version;
}

/** @throws AxleError `limit-exceeded` */
export function checkUpstreamName(name: string): void {
  checkNames({ 'name of an upstream': name });
}

export function inboxFull(runId: string): AxleError {
  return new AxleError('limit-exceeded', `The run ${runId} has ${maxUnreadPosts} posts that it has not taken in.`);
}

export function unknownRun(runId: string): AxleError {
  return new AxleError('run-unknown', `There is no run ${runId} in this store.`);
}

export function runIdTaken(runId: string): AxleError {
  return new AxleError('internal', `The run id ${runId} is taken.`);
}

export function runEnded(runId: string): AxleError {
  return new AxleError('run-ended', `The run ${runId} has ended, so nothing can be posted to it.`);
}

export function keyReused(key: string, runId: string): AxleError {
  return new AxleError(
    'run-key-reused',
    `The key "${key}" belongs to the run ${runId}, which was asked for something else.`,
  );
}

function checkNames(names: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(names)) {
    if (value !== undefined && value.length > maxNameLength) {
      throw new AxleError(
        'limit-exceeded',
        `A ${name} has at most ${maxNameLength} characters; this one has ${value.length}.`,
      );
    }
  }
}
