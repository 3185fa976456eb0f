/** RUN on a command line: a whole id, the beginning of one, or `last`. */
import { AxleError } from '../error/axle-error.ts';
import type { RunSummary, Store } from '../journal/store.ts';

const pageSize = 1_000;
/** Runs looked through for an abbreviation; older ones need their whole id. */
const maxSearched = 20_000;
const maxMatchesShown = 5;

/** @throws AxleError `run-unknown`; `usage-invalid` when several runs are meant. */
export async function findRun(store: Store, name: string): Promise<RunSummary> {
  if (name === 'last') {
    const [last] = await store.runs({ limit: 1 });
    if (last === undefined) {
      throw new AxleError('run-unknown', 'There is no run in this store yet.', {
        remedy: 'Start one with: axle run AGENT --input TEXT.',
      });
    }
    return last;
  }
  if (name === '') {
    throw new AxleError('usage-invalid', 'RUN is empty.', {
      remedy: 'Write the id of a run, the beginning of one, or last.',
    });
  }
  const exact = await store.run(name);
  if (exact !== undefined) return exact;
  const matches = await startingWith(store, name);
  const [match, second] = matches;
  if (match === undefined) throw new AxleError('run-unknown', `No run is named ${name}, and none begins with it.`);
  if (second === undefined) return match;
  const shown = matches
    .slice(0, maxMatchesShown)
    .map((run) => run.runId)
    .join(', ');
  throw new AxleError(
    'usage-invalid',
    `${matches.length} runs begin with ${name}: ${shown}${matches.length > maxMatchesShown ? ', ...' : ''}.`,
    { remedy: 'Write more of the id.' },
  );
}

async function startingWith(store: Store, name: string): Promise<readonly RunSummary[]> {
  const matches: RunSummary[] = [];
  let beforeRunId: string | undefined;
  for (let searched = 0; searched < maxSearched; searched += pageSize) {
    const page = await store.runs({ limit: pageSize, ...(beforeRunId === undefined ? {} : { beforeRunId }) });
    matches.push(...page.filter((run) => run.runId.startsWith(name) || run.runId.startsWith(`run_${name}`)));
    beforeRunId = page.at(-1)?.runId;
    if (page.length < pageSize) break;
  }
  return matches;
}

/** RUN or RUN/CALL. */
export function splitTarget(target: string): { readonly run: string; readonly callId: string | undefined } {
  const slash = target.indexOf('/');
  return slash < 0
    ? { run: target, callId: undefined }
    : { run: target.slice(0, slash), callId: target.slice(slash + 1) };
}
