import { oneLine } from '../../trace/safe-text.ts';
import { defined } from '../../util/defined.ts';
import { answerOptions, answerRun, pickOne } from '../answer-run.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { splitTarget } from '../find-run.ts';

export const authorizeCommand: Command = {
  name: 'authorize',
  about: 'say that a login or permission is there that calls wait for',
  positionals: [{ name: 'RUN[/CALL]' }],
  options: {
    deny: { about: 'it will not be given: the calls fail, and the model is told' },
    note: { value: 'TEXT', about: 'a word to the journal; with --deny the model is told' },
    by: { value: 'NAME', about: 'who says so' },
    ...answerOptions,
  },
  details:
    'First log in or give the permission at the service; axle show RUN says which. RUN is a whole id, the beginning of one, or last; /CALL is needed when calls wait for several services. The answer counts for all calls of the run that wait for the service, once.',
  examples: ['axle authorize last', 'axle authorize run_0fj3k/2.0 --by ann --resume', 'axle authorize last --deny'],
  run: authorize,
};

async function authorize(invocation: Invocation): Promise<ExitName> {
  const { commandText } = invocation;
  const { run, callId } = splitTarget(invocation.argument(0));
  const granted = !invocation.has('deny');
  return answerRun(invocation, run, async ({ answers, summary }) => {
    const { runId } = summary;
    // A question is meant by any of the calls that wait for it.
    const open = (await answers.authorizations(runId)).flatMap((question) =>
      (callId === undefined ? question.calls.slice(0, 1) : question.calls).map((call) => ({
        ...question,
        callId: call.callId,
      })),
    );
    const { authorizationId, upstream, calls } = pickOne(open, {
      runId,
      callId,
      what: 'call that waits for an authorisation',
      command: (target) => commandText('authorize', target),
      show: commandText('show', runId),
    });
    const said = defined({ note: invocation.text('note'), by: invocation.text('by') });
    await answers.resolveAuthorization(authorizationId, { granted, ...said });
    const names = calls.map((call) => `${oneLine(call.tool)} ${call.callId}`).join(', ');
    return {
      done: granted
        ? `Authorised: ${oneLine(upstream)}. Tried again: ${names}.`
        : `Not authorised: ${oneLine(upstream)}. These fail: ${names}.`,
      json: { authorizationId, upstream, callIds: calls.map((call) => call.callId), granted },
    };
  });
}
