/** The kinds of blocks, in the order in which a request has them. */
export const blockKinds = [
  'instructions',
  'tools',
  'goal',
  'message',
  'answer',
  'reasoning',
  'call',
  'result',
] as const;

const titles: Readonly<Record<string, string>> = {
  instructions: 'instructions',
  tools: 'tool definitions',
  goal: 'goal',
  message: 'messages',
  answer: 'answers',
  reasoning: 'reasoning',
  call: 'calls',
  result: 'results',
};

export function kindTitle(kind: string): string {
  return titles[kind] ?? kind;
}
