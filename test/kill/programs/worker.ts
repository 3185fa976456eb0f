/** The driver that is killed: `createAxle` on the real SQLite store, with the tools and the brain of the kill tests. Started by the harness. */
import { createAxle, openSqliteStore } from '../../../src/axle.ts';
import { failed, runProgram, tellResult } from './program.ts';

/** Unfinished runs whose end is waited for and told. */
const maxWatchedRuns = 200;

runProgram(async ({ options, tools, agents }) => {
  const store = openSqliteStore(options.storePath, {
    role: 'driver',
    checkpointBytes: options.checkpointBytes,
    noticeEveryMs: 10,
  });
  const axle = await createAxle({ store, tools, agents, durability: options.durability });
  const unfinished = await axle.runs({ states: ['active', 'waiting', 'held'], limit: maxWatchedRuns });
  for (const { runId } of unfinished) tellResult(axle, runId).catch(failed(`the result of ${runId}`));
  return axle;
});
