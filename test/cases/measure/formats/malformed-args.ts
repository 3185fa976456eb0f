/** Argument texts that are no JSON. What may run at all must run with everything that was written and nothing else; the rest goes back. */
import type { Format } from '../format.ts';
import { textOf } from '../fields.ts';
import { holdsTheWordsOf } from '../same-values.ts';
import { callTurn, observe } from '../trial.ts';
import { right, wrong } from '../verdict.ts';

export const malformedArgs: Format = {
  name: 'malformed_args',
  measure: async (record) => {
    const name = textOf(record['tool'], 'tool');
    const raw = textOf(record['raw'], 'raw');
    const expected = textOf(record['expect'], 'expect');
    const isKnown = !expected.includes('unknown tool');
    const seen = await observe({
      tools: [{ name: isKnown ? name : 'another_tool', inputSchema: { type: 'object' }, effect: 'write' }],
      turns: [callTurn(name, raw)],
    });
    const [first] = seen.ran;
    if (first === undefined) return right;
    const mayRun = /^execute\b|unless the repair is unambiguous/.test(expected);
    return mayRun && holdsTheWordsOf(first.input, raw)
      ? right
      : wrong(`it ran as ${JSON.stringify(first.input)}`, { unsafe: true });
  },
};
