import { answerOptions, answerRun } from '../answer-run.ts';
import type { Command } from '../command.ts';

export const cancelCommand: Command = {
  name: 'cancel',
  about: 'end a run: nothing new starts, what runs is aborted or awaited',
  positionals: [{ name: 'RUN' }],
  options: {
    reason: { value: 'TEXT', about: 'why (default: cancelled from the command line)' },
    by: { value: 'NAME', about: 'who asks for it' },
    ...answerOptions,
  },
  examples: ['axle cancel last', 'axle cancel run_0fj3k --reason "wrong customer" --resume'],
  run: (invocation) => {
    const reason = invocation.text('reason') ?? 'cancelled from the command line';
    const by = invocation.text('by');
    return answerRun(invocation, invocation.argument(0), async ({ handle }) => {
      await handle.cancel(reason, by === undefined ? {} : { by });
      return { done: `Asked ${handle.id} to end.`, json: { reason } };
    });
  },
};
