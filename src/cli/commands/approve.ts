import type { OpenApproval } from '../../facade/answers.ts';
import { findCall } from '../../run/state.ts';
import { isJsonObject } from '../../util/json.ts';
import { answerOptions, answerRun, type AnswerTools, pickOne } from '../answer-run.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { splitTarget } from '../find-run.ts';
import { parseJsonOption } from '../input-text.ts';
import { oneLine } from '../../trace/safe-text.ts';
import { valueText } from '../../trace/span-words.ts';

export const answerAbout =
  'RUN is a whole id, the beginning of one, or last; /CALL is needed when several calls are open. The answer counts for the exact arguments of the call, once.';

export const approveCommand: Command = {
  name: 'approve',
  about: 'let a call run that waits for approval',
  positionals: [{ name: 'RUN[/CALL]' }],
  options: {
    edit: { value: 'JSON', about: 'run with these arguments instead' },
    note: { value: 'TEXT', about: 'a word to the journal' },
    by: { value: 'NAME', about: 'who decides' },
    ...answerOptions,
  },
  details: answerAbout,
  examples: [
    'axle approve last',
    'axle approve run_0fj3k/2.0 --note "checked" --by ann',
    'axle approve last --edit \'{"cents": 500}\' --resume',
  ],
  run: (invocation) => decide(invocation, 'approve'),
};

/** Answers the approval that is meant. */
export async function decide(invocation: Invocation, decision: 'approve' | 'deny'): Promise<ExitName> {
  const { commandText } = invocation;
  const { run, callId } = splitTarget(invocation.argument(0));
  const editText = decision === 'approve' ? invocation.text('edit') : undefined;
  const edit = editText === undefined ? undefined : parseJsonOption(invocation, '--edit', editText);
  if (edit !== undefined && !isJsonObject(edit)) {
    throw invocation.usage('--edit takes a JSON object: the arguments of a call have names.');
  }
  const note = invocation.text('note');
  const by = invocation.text('by');
  return answerRun(invocation, run, async (tools) => {
    const { answers, summary } = tools;
    const open = pickOne(await answers.approvals(summary.runId), {
      runId: summary.runId,
      callId,
      what: 'call that waits for approval',
      command: (target) => commandText(decision, target),
      show: commandText('show', summary.runId),
    });
    const isChecked = edit === undefined || (await isKnown(open, tools));
    await answers.resolveApproval(open.approvalId, {
      decision,
      ...(edit === undefined ? {} : { edit }),
      ...(note === undefined ? {} : { note }),
      ...(by === undefined ? {} : { by }),
    });
    const word = decision === 'approve' ? 'Approved' : 'Denied';
    const later = isChecked ? '' : ' These arguments are checked when a driver takes the answer in.';
    return {
      done: `${word}: ${oneLine(open.tool)} ${oneLine(valueText(edit ?? open.input))}.${later}`,
      json: {
        callId: open.callId,
        approvalId: open.approvalId,
        decision,
        ...(edit === undefined ? {} : { edit, checked: isChecked }),
      },
    };
  });
}

/** Whether the contract of a call is here, so that what does not fit it is refused at once. */
async function isKnown({ runId, callId }: OpenApproval, { store, contract }: AnswerTools): Promise<boolean> {
  const { loadRun } = await import('../../run/load-run.ts');
  const loaded = await loadRun(store, runId);
  const call = loaded === undefined ? undefined : findCall(loaded.state, callId)?.call;
  return call !== undefined && contract(call.tool, call.toolVersion) !== undefined;
}
