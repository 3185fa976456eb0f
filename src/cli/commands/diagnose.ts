import type { Append } from '../../journal/entry.ts';
import { oneLine } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { wholeJournal } from '../../journal/read-appends.ts';
import { nextCommands, waitText } from '../report-result.ts';
import { withClientStore } from '../store-place.ts';

export const diagnoseCommand: Command = {
  name: 'diagnose',
  about: 'say what probably went wrong in a run, with evidence and remedy',
  positionals: [{ name: 'RUN' }],
  options: {},
  details:
    'RUN is a whole id, the beginning of one, or last. It reads journals only: no model is asked, no tool is called. Runs of the same agent with the same input are compared with it. It ends with 0 whatever it finds.',
  examples: ['axle diagnose last', 'axle diagnose run_0fj3k --json'],
  run: diagnoseOne,
};

async function diagnoseOne(invocation: Invocation): Promise<ExitName> {
  const { terminal, place, commandText } = invocation;
  const { diagnoseRun } = await import('../../facade/diagnose-run.ts');
  const { diagnosis, status, hasFailures } = await withClientStore(place, async (store) => {
    const { runId, status } = await findRun(store, invocation.argument(0));
    const appends = await wholeJournal(store, runId);
    return { diagnosis: await diagnoseRun(store, runId), status, hasFailures: appends.some(isFailure) };
  });
  if (terminal.isJson) {
    terminal.json(diagnosis);
    return 'ok';
  }
  const { runId, isOpen, faults } = diagnosis;
  if (isOpen) terminal.say(`Run ${oneLine(runId)} has not ended: this holds for what has happened so far.`);
  if (faults.length === 0) {
    terminal.say(`Nothing that looks like a fault was found in run ${oneLine(runId)}.`);
    if (hasFailures) terminal.say(`What failed in it: ${commandText('show', runId, '--filter', 'status:error')}`);
  }
  for (const [index, { code, confidence, summary, evidence, remedy }] of faults.entries()) {
    if (index > 0) terminal.say('');
    terminal.say(`${index + 1}. ${code} (${confidence.toFixed(2)}): ${oneLine(summary)}`);
    for (const { seq, text } of evidence) terminal.say(`     entry ${seq}: ${oneLine(text).slice(0, 200)}`);
    terminal.say(`   Remedy: ${remedy}`);
  }
  if (status.state !== 'waiting') return 'ok';
  terminal.say('');
  for (const reason of status.waitingOn) terminal.say(`It waits: ${waitText(reason, Date.now())}`);
  for (const command of nextCommands({ runId, on: status.waitingOn }, commandText)) terminal.say(`  ${command}`);
  return 'ok';
}

/** A single failure that the model could act on is no fault of the run; whoever asks what went wrong wants to see it all the same. */
function isFailure({ entries }: Append): boolean {
  return entries.some(
    (entry) =>
      entry.type === 'call-refused' ||
      entry.type === 'model-failed' ||
      (entry.type === 'call-settled' && entry.status === 'failed'),
  );
}
