/** Rules about what a contract says in words: what the tool does, when to use it, where its limits are. */
import { describeTool } from '../describe.ts';
import { bareName } from '../near-miss.ts';
import { wordsOf } from '../tool-index.ts';
import type { Contract } from '../contract.ts';
import type { ToolRule } from './rule.ts';

/** Fewer words than this cannot say what a tool does and to what. */
const fewestWords = 4;

/** OpenAI refuses the description of a function beyond this length. */
const longestForOpenAi = 1_024;

/** Names that say nothing of what is done. */
const vagueNames = new Set(
  'action api call command data do execute function handle helper invoke main manage misc process query request run task tool util utils work'.split(
    ' ',
  ),
);

/** Words by which a description gives orders to the model instead of saying what the tool does: a mark of poisoned tool lists. */
const orders =
  /\b(?:ignore (?:all |any )?(?:previous|prior|other)|you must (?:always )?(?:call|use)|always (?:call|use) this|before (?:calling|using) any other|do not (?:tell|mention|inform)|<\/?(?:system|important|instructions?)>)/i;

const whenWords = /\b(?:when|whenever|if you|use (?:it|this) (?:to|for|after|before|instead)|after|before)\b/i;
const limitWords =
  /\b(?:not|only|cannot|can't|never|at most|at least|no more than|up to|limited|except|without|instead of|must)\b/i;

export const descriptionRules: readonly ToolRule[] = [
  {
    id: 'description-too-short',
    severity: 'warning',
    about: 'the description says too little to tell what the tool does',
    check: ({ description }) => {
      const count = countWords(description);
      return count >= fewestWords
        ? []
        : [
            {
              at: 'description',
              message: `The description has ${count} ${count === 1 ? 'word' : 'words'}.`,
              remedy: 'Say what it does, to what, and what comes back.',
            },
          ];
    },
  },
  {
    id: 'description-repeats-name',
    severity: 'warning',
    about: 'the description has no word that the name does not have',
    check: ({ name, description }) => {
      const known = new Set(wordsOf(name));
      const says = wordsOf(description);
      return says.length === 0 || says.some((word) => !known.has(word))
        ? []
        : [
            {
              at: 'description',
              message: `The description only repeats the name ${name}.`,
              remedy: 'Say what the name does not: what it acts on, and what comes back.',
            },
          ];
    },
  },
  {
    id: 'description-too-long',
    severity: 'warning',
    about: 'a provider cuts off or refuses so long a description',
    check: (contract) => {
      const { length } = describeTool(contract).description;
      return length <= longestForOpenAi
        ? []
        : [
            {
              at: 'description',
              provider: 'openai',
              message: `Description, use, limits and example are ${length} characters together; OpenAI takes ${longestForOpenAi}.`,
              remedy: 'Move what concerns one parameter to its own description, and shorten the rest.',
            },
          ];
    },
  },
  {
    id: 'description-gives-orders',
    severity: 'warning',
    about: 'the description orders the model about instead of saying what the tool does',
    check: (contract) => {
      const order = orders.exec(wordsTold(contract))?.[0];
      return order === undefined
        ? []
        : [
            {
              at: 'description',
              message: `It tells the model what to do: ${JSON.stringify(order)}.`,
              remedy: 'Take it out; a tool list from elsewhere that has it is not to be trusted.',
            },
          ];
    },
  },
  {
    id: 'name-vague',
    severity: 'warning',
    about: 'the name does not say what is done',
    check: ({ name }) => {
      const last = name.slice(name.lastIndexOf('.') + 1);
      return vagueNames.has(bareName(last))
        ? [
            {
              at: 'name',
              message: `The name ${last} fits any tool.`,
              remedy: 'Name it by a verb and the thing it acts on.',
            },
          ]
        : [];
    },
  },
  {
    id: 'use-not-said',
    severity: 'advice',
    about: 'nothing says when to use the tool',
    check: ({ whenToUse, description }) =>
      whenToUse !== undefined || whenWords.test(description)
        ? []
        : [
            {
              at: 'whenToUse',
              message: 'Nothing says when to use it.',
              remedy: 'Declare whenToUse: the situation in which this tool is the right one.',
            },
          ],
  },
  {
    id: 'limits-not-said',
    severity: 'advice',
    about: 'nothing says what the tool is not for',
    check: ({ limitations, description }) =>
      limitations !== undefined || limitWords.test(description)
        ? []
        : [
            {
              at: 'limitations',
              message: 'Nothing says what it is not for, or what it cannot do.',
              remedy: 'Declare limitations: what it does not cover, and which tool does.',
            },
          ],
  },
];

function wordsTold({ description, whenToUse = '', limitations = '' }: Contract): string {
  return `${description}\n${whenToUse}\n${limitations}`;
}

/** Words as people count them; in scripts without spaces, two characters count as one. */
function countWords(text: string): number {
  const spaced = text.match(/[\p{L}\p{N}'-]+/gu) ?? [];
  return spaced.reduce(
    (sum, word) => sum + (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(word) ? word.length / 2 : 1),
    0,
  );
}
