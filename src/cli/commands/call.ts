import type { Command, Invocation } from '../command.ts';
import { driveRun } from '../drive.ts';
import { begin } from '../begin-run.ts';
import type { ExitName } from '../exit-code.ts';
import { inputText, parseJsonOption } from '../input-text.ts';

export const callCommand: Command = {
  name: 'call',
  about: 'make one governed call of a tool: checked, decided, performed and recorded',
  positionals: [{ name: 'TOOL' }],
  options: {
    input: { value: 'JSON', about: 'the arguments (default {})' },
    'input-file': { value: 'FILE', about: 'the same from a file; - reads standard input' },
    key: { value: 'KEY', about: 'your own name for the request: the same key gives the same call' },
    session: { value: 'NAME', about: 'the conversation that the call belongs to' },
  },
  details: 'The output of the tool goes to standard output as JSON, or as it is when it is a text.',
  examples: [
    'axle call get_weather --input \'{"city": "Beijing"}\'',
    'axle call refund --input-file refund.json --key refund-5',
  ],
  run: makeCall,
};

async function makeCall(invocation: Invocation): Promise<ExitName> {
  const text = (await inputText(invocation, 'input')) ?? '{}';
  const option = invocation.has('input-file') ? '--input-file' : '--input';
  const input = parseJsonOption(invocation, option, text);
  const key = invocation.text('key');
  const session = invocation.text('session');
  const options = { ...(key === undefined ? {} : { key }), ...(session === undefined ? {} : { session }) };
  return driveRun(invocation, (axle) =>
    begin(invocation, () => axle.startCall(invocation.argument(0), input, options)),
  );
}
