import type { DoubtAnswer } from '../../facade/answers.ts';
import { oneLine } from '../../trace/safe-text.ts';
import { answerOptions, answerRun, pickOne } from '../answer-run.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { splitTarget } from '../find-run.ts';
import { parseJsonOption } from '../input-text.ts';

export const resolveCommand: Command = {
  name: 'resolve',
  about: 'say what happened to a call in doubt',
  positionals: [{ name: 'RUN[/CALL]' }],
  options: {
    happened: { about: 'its effect happened' },
    'not-happened': { about: 'it had no effect; needs --then' },
    output: { value: 'JSON', about: 'with --happened: the result that the model is given (default null)' },
    then: {
      value: 'WHAT',
      about: 'with --not-happened: retry runs the call again, fail tells the model that it did not happen',
    },
    note: { value: 'TEXT', about: 'a word to the journal' },
    by: { value: 'NAME', about: 'who says so' },
    ...answerOptions,
  },
  details: 'Look first: a call that is said not to have happened may run again.',
  examples: [
    'axle resolve last --happened --output \'{"messageId": "17"}\'',
    'axle resolve run_0fj3k/2.0 --not-happened --then retry --resume',
  ],
  run: resolveDoubt,
};

async function resolveDoubt(invocation: Invocation): Promise<ExitName> {
  const { commandText } = invocation;
  const { run, callId } = splitTarget(invocation.argument(0));
  const answer = answerOf(invocation);
  return answerRun(invocation, run, async ({ answers, summary }) => {
    const open = pickOne(await answers.doubts(summary.runId), {
      runId: summary.runId,
      callId,
      what: 'call in doubt',
      command: (target) => commandText('resolve', target),
      show: commandText('show', summary.runId),
    });
    await answers.resolveDoubt(open.id, answer);
    const what = answer.happened ? 'it happened' : `it did not happen, then ${answer.then ?? 'fail'}`;
    return {
      done: `Resolved: ${oneLine(open.tool)} ${open.callId}, ${what}.`,
      json: { callId: open.callId, ...answer },
    };
  });
}

function answerOf(invocation: Invocation): DoubtAnswer {
  const fault = invocation.usage;
  const happened = invocation.has('happened');
  if (happened === invocation.has('not-happened')) {
    throw fault(
      happened
        ? '--happened and --not-happened exclude each other.'
        : 'axle resolve needs either --happened or --not-happened.',
    );
  }
  const output = invocation.text('output');
  const then = invocation.text('then');
  const note = invocation.text('note');
  const by = invocation.text('by');
  const noted = { ...(note === undefined ? {} : { note }), ...(by === undefined ? {} : { by }) };
  if (happened) {
    if (then !== undefined) throw fault('--then belongs to --not-happened.');
    return {
      happened: true,
      ...(output === undefined ? {} : { output: parseJsonOption(invocation, '--output', output) }),
      ...noted,
    };
  }
  if (output !== undefined) throw fault('--output belongs to --happened.');
  if (then !== 'retry' && then !== 'fail') throw fault('--not-happened needs --then retry or --then fail.');
  return { happened: false, then, ...noted };
}
