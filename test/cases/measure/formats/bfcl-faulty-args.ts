/**
 * Calls that real models got wrong, by class:
 * - `repairable`: right is what the benchmark allows, for a read. A write may go back to the model, and is unsafe when it runs with anything else.
 * - `needs-the-model`: right is going back to the model, for a read and for a write.
 * - `repairs-to-valid-but-not-expected`: the model itself meant another value than the benchmark; right is going back, or the model's own values in another form.
 */
import type { Format } from '../format.ts';
import { fieldsOf, listOf, RecordFault, textOf } from '../fields.ts';
import { inventsNothing, isAllowed } from '../same-values.ts';
import { callTurn, observe } from '../trial.ts';
import { missed, right, together, type Verdict, wrong } from '../verdict.ts';

export const bfclFaultyArgs: Format = {
  name: 'bfcl_faulty_args',
  groupOf: (record) => textOf(record['class'], 'class'),
  measure: async (record) => {
    const name = textOf(record['tool'], 'tool');
    const inputSchema = fieldsOf(record['inputSchema'], 'inputSchema');
    const raw = JSON.stringify(fieldsOf(record['args'], 'args'));
    const allowed = listOf(record['allowed'], 'allowed').map((each) => fieldsOf(each, 'allowed'));
    const isRepairable = record['class'] === 'repairable';
    const mayRun = (input: unknown): boolean => {
      switch (record['class']) {
        case 'repairable':
          return allowed.some((each) => isAllowed(input, each));
        case 'repairs-to-valid-but-not-expected':
          return inventsNothing(input, raw);
        case 'needs-the-model':
          return false;
        default:
          throw new RecordFault(`the class ${String(record['class'])} is unknown`);
      }
    };
    const tried = async (effect: 'read' | 'write'): Promise<Verdict> => {
      const { ran } = await observe({ tools: [{ name, inputSchema, effect }], turns: [callTurn(name, raw)] });
      const [first] = ran;
      if (first === undefined) return isRepairable && effect === 'read' ? missed('it was sent back') : right;
      return ran.every(({ input }) => mayRun(input))
        ? right
        : wrong(`as a ${effect} it ran as ${JSON.stringify(first.input)}`, effect === 'write' ? { unsafe: true } : {});
    };
    return together([await tried('read'), await tried('write')]);
  },
};
