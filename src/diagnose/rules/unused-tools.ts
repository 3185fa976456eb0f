/** Tools that the question was about and that were never asked, and things that the answer claims and nobody did. */
import { someOf, type LikelyFault } from '../likely-fault.ts';
import type { ModelFact, RunFacts } from '../run-facts.ts';

/** Words of tool names that say nothing about a subject. */
const vagueWords = new Set(
  'call data fetch find from info item items list look make query read search tool update user value with write'.split(
    ' ',
  ),
);

/** Words shorter than this are in too many questions. */
const leastWordLength = 4;

export function toolNeverCalled({ trace, accepted, calls, answers }: RunFacts): readonly LikelyFault[] {
  const last = answers.at(-1);
  if (accepted?.task.kind !== 'agent' || trace.ending === undefined || last === undefined || calls.length > 0) {
    return [];
  }
  const asked = accepted.task.input.toLowerCase();
  const meant = accepted.task.contracts.filter(
    ({ hidden, name }) => hidden !== true && subjectOf(name, asked) !== undefined,
  );
  const [tool] = meant;
  if (tool === undefined) return [];
  const names = meant.map(({ name }) => name).join(', ');
  return [
    {
      code: 'tool-never-called',
      confidence: 0.8,
      summary: `The question is about what ${names} is for, and the model answered without calling any tool.`,
      evidence: [
        { seq: 1, spanId: 'run', text: `The question says "${subjectOf(tool.name, asked) ?? ''}".` },
        answerEvidence(last),
      ],
      remedy: `Say in the description of ${tool.name} when it must be used, and in the instructions that facts come from tools; \`axle lint\` finds descriptions that models pass over.`,
    },
  ];
}

/** The word of a tool's name that the question has, too. */
function subjectOf(name: string, asked: string): string | undefined {
  return wordsOf(name).find(
    (word) => word.length >= leastWordLength && !vagueWords.has(word) && asked.includes(word.replace(/s$/u, '')),
  );
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter((word) => word !== '');
}

/** How an answer says that something was done, by the verb that a tool's name begins with. */
const pastForms: Readonly<Record<string, string>> = {
  book: 'booked',
  cancel: 'cancell?ed',
  create: 'created',
  delete: 'deleted',
  order: 'ordered',
  pay: 'paid',
  post: 'posted',
  publish: 'published',
  put: 'put',
  refund: 'refunded',
  remove: 'removed',
  reserve: 'reserved',
  save: 'saved',
  schedule: 'scheduled',
  send: 'sent',
  store: 'stored',
  transfer: 'transferred',
  update: 'updated',
  upload: 'uploaded',
  write: '(?:wrote|written)',
};

export function claimWithoutCall({ trace, accepted, calls, answers }: RunFacts): readonly LikelyFault[] {
  const last = answers.at(-1);
  if (accepted?.task.kind !== 'agent' || trace.ending?.kind !== 'completed' || last === undefined) return [];
  return accepted.task.contracts.flatMap(({ name, terms, hidden }): readonly LikelyFault[] => {
    const [verb = ''] = wordsOf(name);
    const past = pastForms[verb];
    if (hidden === true || terms.effect === 'read' || past === undefined) return [];
    const mine = calls.filter(({ tool }) => tool === name);
    if (mine.some(({ span }) => span.outcome?.status === 'succeeded' || span.outcome?.status === 'in-doubt')) return [];
    const claim = new RegExp(
      `\\b(?:(?:I|we)(?:'ve| have)?|(?:has|have) been|(?:was|were|is|are)) (?:successfully |now |already )?${past}\\b`,
      'iu',
    ).exec(last.text);
    if (claim === null) return [];
    return [
      {
        code: 'claim-without-call',
        confidence: 0.9,
        summary: `The answer says "${claim[0]}", and no call of ${name} succeeded.`,
        evidence: someOf([
          ...mine.map(({ span, failure }) => ({
            seq: span.seq,
            spanId: span.id,
            text: `${name}: ${failure?.code ?? span.outcome?.status ?? 'open'}`,
          })),
          answerEvidence(last),
        ]),
        remedy: `Do not trust the text: look at the outcomes in the result. Say in the instructions that nothing counts as done before ${name} has succeeded.`,
      },
    ];
  });
}

function answerEvidence({ span, text }: ModelFact): LikelyFault['evidence'][number] {
  return { seq: span.seq, spanId: span.id, text: `The model answered: ${text.slice(0, 160)}` };
}
