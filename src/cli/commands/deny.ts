import { answerOptions } from '../answer-run.ts';
import type { Command } from '../command.ts';
import { answerAbout, decide } from './approve.ts';

export const denyCommand: Command = {
  name: 'deny',
  about: 'refuse a call that waits for approval',
  positionals: [{ name: 'RUN[/CALL]' }],
  options: {
    note: { value: 'TEXT', about: 'why; the model is told' },
    by: { value: 'NAME', about: 'who decides' },
    ...answerOptions,
  },
  details: answerAbout,
  examples: ['axle deny last --note "too expensive"', 'axle deny run_0fj3k/2.0 --by ann --resume'],
  run: (invocation) => decide(invocation, 'deny'),
};
