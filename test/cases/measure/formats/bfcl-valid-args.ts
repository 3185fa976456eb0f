/** Calls that were right all along: they run as they were written, whatever the effect of their tool. */
import type { Format } from '../format.ts';
import { fieldsOf, textOf } from '../fields.ts';
import { isSame } from '../same-values.ts';
import { callTurn, observe, repairsOf } from '../trial.ts';
import { missed, right, together, type Verdict, wrong } from '../verdict.ts';

export const bfclValidArgs: Format = {
  name: 'bfcl_valid_args',
  measure: async (record) => {
    const name = textOf(record['tool'], 'tool');
    const inputSchema = fieldsOf(record['inputSchema'], 'inputSchema');
    const raw = textOf(record['raw'], 'raw');
    const tried = async (effect: 'read' | 'write'): Promise<Verdict> => {
      const seen = await observe({ tools: [{ name, inputSchema, effect }], turns: [callTurn(name, raw)] });
      const [first] = seen.ran;
      if (first === undefined) return missed(`it was sent back as a ${effect}`);
      return seen.ran.length === 1 && isSame(first.input, JSON.parse(raw)) && repairsOf(seen).length === 0
        ? right
        : wrong(`as a ${effect} it ran as ${JSON.stringify(first.input)}`, { changed: true });
    };
    return together([await tried('read'), await tried('write')]);
  },
};
