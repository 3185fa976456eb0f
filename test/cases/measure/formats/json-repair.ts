/** One fault in a JSON text each, tried with a tool that reads and one that writes. */
import type { Format } from '../format.ts';
import { fieldsOf, textOf } from '../fields.ts';
import { holdsTheWordsOf, isSame } from '../same-values.ts';
import { callTurn, observe, repairsOf } from '../trial.ts';
import { missed, right, together, type Verdict, wrong } from '../verdict.ts';

export const jsonRepair: Format = {
  name: 'json_repair',
  measure: async (record) => {
    const raw = textOf(record['raw'], 'raw');
    const expected = fieldsOf(record['expect'], 'expect');
    const tried = async (effect: 'read' | 'write'): Promise<Verdict> => {
      const expectation = textOf(expected[effect], `expect.${effect}`);
      const seen = await observe({
        tools: [{ name: 'tool_of_case', inputSchema: { type: 'object' }, effect }],
        turns: [callTurn('tool_of_case', raw)],
      });
      const [first] = seen.ran;
      if (first === undefined) return expectation === 'execute' ? missed(`the ${effect} was sent back`) : right;
      const isMeant = seen.ran.length === 1 && means(first.input, raw);
      const isSeen = repairsOf(seen).length > 0 || isSame(first.input, parsed(raw));
      return expectation !== 'reject' && isMeant && isSeen
        ? right
        : wrong(`the ${effect} ran as ${JSON.stringify(first.input)}`, effect === 'write' ? { unsafe: true } : {});
    };
    return together([await tried('read'), await tried('write')]);
  },
};

function means(input: unknown, raw: string): boolean {
  const exact = parsed(raw);
  return typeof exact === 'object' && exact !== null && !Array.isArray(exact)
    ? isSame(input, exact)
    : holdsTheWordsOf(input, raw);
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
