import { answerOptions, answerRun } from '../answer-run.ts';
import type { Command } from '../command.ts';

export const sendCommand: Command = {
  name: 'send',
  about: 'add a message to the conversation of a run',
  positionals: [{ name: 'RUN' }, { name: 'TEXT' }],
  options: {
    key: { value: 'KEY', about: 'your own name for the message: sent again, it counts once' },
    ...answerOptions,
  },
  examples: ['axle send last "The meeting has moved to Friday."', 'axle send run_0fj3k "Go on." --key note-7 --resume'],
  run: (invocation) => {
    const key = invocation.text('key');
    return answerRun(invocation, invocation.argument(0), async ({ handle }) => {
      await handle.send(invocation.argument(1), key === undefined ? {} : { key });
      return { done: `Sent to ${handle.id}.`, json: {} };
    });
  },
};
