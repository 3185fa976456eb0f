/** Tokens that were paid for again and again: a large result is sent with every later call of the model. */
import { someOf, type LikelyFault } from '../likely-fault.ts';
import { evidenceOf, type RunFacts } from '../run-facts.ts';

/** Smaller results are what a context is for. */
const largeChars = 16_000;
/** Characters of JSON text a token, roughly: the rule of thumb that providers give for English text. */
const charsPerToken = 4;
/** Share of all input tokens that large results must make up. */
const leastShare = 0.4;
/** Calls of the model that a result must have been sent with. */
const leastCarried = 3;

export function tokenWaste({ calls, answers }: RunFacts): readonly LikelyFault[] {
  const inputTokens = answers.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0);
  const large = calls.flatMap((call) => {
    const carried = answers.filter(({ step }) => step > call.step).length;
    return call.resultText.length >= largeChars && carried >= leastCarried
      ? [{ call, carried, tokens: Math.round((call.resultText.length / charsPerToken) * carried) }]
      : [];
  });
  const tokens = large.reduce((sum, each) => sum + each.tokens, 0);
  if (large.length === 0 || tokens < inputTokens * leastShare) return [];
  const tools = [...new Set(large.map(({ call }) => call.tool))].join(', ');
  return [
    {
      code: 'token-waste',
      confidence: 0.7,
      summary: `Large results of ${tools} were sent again with every call of the model: about ${tokens.toLocaleString('en')} tokens.`,
      evidence: someOf(
        large.map(({ call, carried }) =>
          evidenceOf(
            call,
            `${call.resultText.length.toLocaleString('en')} characters of ${call.tool}, sent ${carried} times`,
          ),
        ),
      ),
      remedy: `Let ${tools} return what is asked for (fields, pages, a summary), and the rest by name for who wants it.`,
    },
  ];
}
