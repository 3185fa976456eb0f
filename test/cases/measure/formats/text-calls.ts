/**
 * Calls that a model wrote in its text. Right is a call that ran as it was written there, with values that the record allows.
 * An answer that is believed although it holds calls is a false success, and counts as unsafe; a call that goes back to the model is missed.
 */
import type { Format } from '../format.ts';
import { fieldsOf, isFields, listOf, textOf } from '../fields.ts';
import { inventsNothing, isAllowed } from '../same-values.ts';
import { observe, type Ran } from '../trial.ts';
import { missed, right, wrong } from '../verdict.ts';

export const textCalls: Format = {
  name: 'text_calls',
  measure: async (record) => {
    const text = textOf(record['text'], 'text');
    const allowed = listOf(record['allowed'], 'allowed').map((each) => fieldsOf(each, 'allowed'));
    const tools = Object.entries(fieldsOf(record['tools'], 'tools')).map(([name, schema]) => ({
      name,
      inputSchema: fieldsOf(schema, 'tools'),
      effect: 'read' as const,
    }));
    const { ran, requests } = await observe({ tools, turns: [text] });
    if (allowed.length === 0) return ran.length === 0 ? right : wrong(`${wordsOf(ran)} ran`, { unsafe: true });
    if (ran.length === 0) {
      return requests.length === 1
        ? wrong('the run ended with the text as its answer', { unsafe: true })
        : missed('it was sent back');
    }
    const strange = ran.filter(
      ({ tool, input }) => !allowed.some((each) => isFields(each[tool]) && isAllowed(input, each[tool])),
    );
    if (strange.length === 0) return right;
    // What the model itself asked for is not what was wanted; what ran is nevertheless what it wrote.
    return strange.every(({ input }) => inventsNothing(input, text))
      ? missed(`the model asked for ${wordsOf(strange)}`)
      : wrong(`${wordsOf(strange)} ran`, { unsafe: true });
  },
};

function wordsOf(ran: readonly Ran[]): string {
  return ran.map(({ tool, input }) => `${tool}(${JSON.stringify(input)})`).join(', ');
}
