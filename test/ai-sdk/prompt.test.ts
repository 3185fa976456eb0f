import { describe, expect, test } from 'vitest';
import type { BrainAnswer, BrainRequest } from '../../src/brain/brain.ts';
import { type ConversationView, viewOf } from '../../src/brain/brain-of-views.ts';
import type { TranscriptItem } from '../../src/call/message.ts';
import type { Outcome } from '../../src/call/outcome.ts';
import { Conversation } from '../../src/ai-sdk/prompt.ts';
import type { PromptMessage } from '../../src/ai-sdk/specification.ts';
import { toolAlias } from '../../src/contract/tool-alias.ts';
import { Transcript } from '../../src/run/transcript.ts';
import { startLoopback } from './loopback.ts';
import { anthropicMessageOf, chatCompletionOf, openAiResponseOf } from './recordings.ts';
import { anthropicBrain, compatibleBrain, openAiBrain, requestWith, weatherTool } from './request.ts';
import { textLike } from './text-like.ts';

interface Sent {
  readonly body: Readonly<Record<string, unknown>>;
  readonly answer: BrainAnswer;
}

async function send(brainAt: typeof compatibleBrain, reply: unknown, request: Partial<BrainRequest>): Promise<Sent> {
  await using server = await startLoopback({ body: reply });
  const answer = await brainAt(server.url).generate(requestWith(request));
  if (answer.status === 'failed') throw new Error(answer.failure.message);
  return { body: server.requests[0] ?? {}, answer };
}

const outcomes: readonly Outcome[] = [
  { status: 'succeeded', output: { degrees: 21 } },
  { status: 'succeeded', output: '' },
  { status: 'denied', reason: 'no', code: 'call-denied' },
  {
    status: 'failed',
    failure: { code: 'tool-timed-out', class: 'retryable', message: 'No answer in 20 s.', evidence: 'unknown' },
    effectMayHaveHappened: true,
  },
];

/** A turn with one call for each outcome, and the results. */
const turn: readonly TranscriptItem[] = [
  { kind: 'user', text: 'Go.' },
  {
    kind: 'assistant',
    parts: [{ kind: 'text', text: 'Looking.' }],
    calls: outcomes.map((_, index) => ({
      callId: `1.${index}`,
      toolCallId: `c${index}`,
      toolName: 'weather',
      input: { location: 'Oslo' },
    })),
  },
  {
    kind: 'results',
    results: outcomes.map((outcome, index) => ({
      callId: `1.${index}`,
      toolCallId: `c${index}`,
      toolName: 'weather',
      outcome,
    })),
  },
];

describe('the conversation on the wire', () => {
  test('chat completions get every call followed by its result', async () => {
    const { body } = await send(compatibleBrain, chatCompletionOf('R13'), {
      items: turn,
      settings: { temperature: 0 },
    });
    expect(body).toMatchObject({
      temperature: 0,
      tools: [{ type: 'function', function: { name: 'weather', parameters: weatherTool.inputSchema } }],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: outcomes.map((_, index) => ({
            id: `c${index}`,
            function: { name: 'weather', arguments: '{"location":"Oslo"}' },
          })),
        },
        { role: 'tool', tool_call_id: 'c0', content: '{"degrees":21}' },
        { role: 'tool', tool_call_id: 'c1', content: textLike('empty') },
        { role: 'tool', tool_call_id: 'c2', content: textLike('denied') },
        { role: 'tool', tool_call_id: 'c3', content: textLike('may have happened') },
      ],
    });
  });

  test('Anthropic gets failures marked as errors and nothing empty', async () => {
    const { body } = await send(anthropicBrain, anthropicMessageOf('R01'), { items: turn });
    const messages: unknown = body['messages'];
    expect(messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'text' }, ...outcomes.map(() => ({ type: 'tool_use', input: { location: 'Oslo' } }))],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c0', content: '{"degrees":21}' },
          { type: 'tool_result', tool_use_id: 'c1', content: textLike(/\S/) },
          { type: 'tool_result', tool_use_id: 'c2', content: textLike('denied') },
          { type: 'tool_result', tool_use_id: 'c3', is_error: true },
        ],
      },
    ]);
  });

  test('reasoning that consists of an id alone goes back with that id', async () => {
    const { answer } = await send(openAiBrain, openAiResponseOf('R20'), {});
    if (answer.status !== 'answered') throw new Error('no answer');
    const named = { callId: '1.0', toolCallId: 'c1', toolName: 'weather' };
    const items: readonly TranscriptItem[] = [
      { kind: 'user', text: 'List my files.' },
      { kind: 'assistant', parts: answer.parts, calls: [{ ...named, input: {} }] },
      { kind: 'results', results: [{ ...named, outcome: { status: 'succeeded', output: 'a.txt' } }] },
    ];
    const { body } = await send(openAiBrain, openAiResponseOf('R18'), { items });
    expect(body['input']).toMatchObject([
      { role: 'developer' },
      { role: 'user' },
      { type: 'item_reference', id: textLike(/^rs_/) },
      { type: 'function_call', call_id: 'c1', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'a.txt' },
    ]);
  });

  test('the signature of a call goes back with that call', async () => {
    const signed = {
      id: 'c1',
      type: 'function',
      function: { name: 'weather', arguments: '{}' },
      extra_content: { google: { thought_signature: 'signed-by-gemini' } },
    };
    const choices = [{ index: 0, message: { role: 'assistant', tool_calls: [signed] }, finish_reason: 'tool_calls' }];
    const reply = { id: 'c', created: 0, model: 'm', choices };
    const { answer } = await send(compatibleBrain, reply, {});
    const meta = answer.status === 'answered' ? answer.parts[0]?.meta : undefined;
    if (meta === undefined) throw new Error('The signature was lost on the way in.');
    const named = { callId: '1.0', toolCallId: 'c1', toolName: 'weather' };
    const items: readonly TranscriptItem[] = [
      { kind: 'user', text: 'How is the weather?' },
      { kind: 'assistant', parts: [], calls: [{ ...named, input: {}, meta }] },
      { kind: 'results', results: [{ ...named, outcome: { status: 'succeeded', output: 'sunny' } }] },
    ];
    const { body } = await send(compatibleBrain, reply, { items });
    expect(body['messages']).toMatchObject([{}, {}, { role: 'assistant', tool_calls: [signed] }, { role: 'tool' }]);
  });

  test('a name that providers do not take is shown as one that they take, and comes back as it was', async () => {
    const tools = [{ ...weatherTool, name: 'crm.find customer' }];
    const shown = toolAlias('crm.find customer');
    expect(shown).toMatch(/^crm_find_customer_[0-9a-f]{12}$/);
    const message = {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: shown, arguments: '{}' } }],
    };
    const reply = { id: 'c', created: 0, model: 'm', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
    const { body, answer } = await send(compatibleBrain, reply, { tools });
    expect(body).toMatchObject({ tools: [{ function: { name: shown } }] });
    expect(answer).toMatchObject({ parts: [{ kind: 'call', toolName: 'crm.find customer' }] });
  });

  test('without tools the provider is offered none', async () => {
    const { body } = await send(compatibleBrain, chatCompletionOf('R13'), { tools: [] });
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
  });
});

describe('the conversation as messages', () => {
  test('empty texts, empty answers and half character pairs do not reach a provider', () => {
    const prompt = new Conversation().messages(
      ' ',
      viewOf([
        { kind: 'user', text: '' },
        { kind: 'assistant', parts: [{ kind: 'text', text: ' ' }], calls: [] },
        { kind: 'notice', text: 'Your last answer was \uD83D empty.' },
      ]),
    );
    expect(prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: '(empty message)' }] },
      { role: 'assistant', content: [{ type: 'text', text: '(no answer)' }] },
      { role: 'user', content: [{ type: 'text', text: textLike('was \uFFFD empty') }] },
    ]);
  });

  test('a call stands where the model put it, and one that was dropped leaves no trace', () => {
    const named = { toolName: 'weather', argumentsText: '{}' };
    const prompt = new Conversation().messages(
      '',
      viewOf([
        {
          kind: 'assistant',
          parts: [
            { kind: 'reasoning', text: 'first' },
            { kind: 'call', toolCallId: 'a', ...named },
            { kind: 'call', toolCallId: 'a', ...named },
            { kind: 'reasoning', text: 'second' },
          ],
          calls: [
            { callId: '1.0', toolCallId: 'a', toolName: 'weather', input: {} },
            { callId: '1.2', toolCallId: 'renamed', toolName: 'weather', input: 'not an object' },
          ],
        },
      ]),
    );
    expect(prompt[0]?.content).toMatchObject([
      { type: 'reasoning', text: 'first' },
      { type: 'tool-call', toolCallId: 'a', input: {} },
      { type: 'reasoning', text: 'second' },
      { type: 'tool-call', toolCallId: 'renamed', input: { value: 'not an object' } },
    ]);
  });

  test('ids are such as the provider takes, the same for a call and its result, and stay what they are where it takes them', () => {
    const long = 'x'.repeat(90);
    const idsFor = (provider: string, id: string): readonly unknown[] => {
      const named = { callId: '1.0', toolCallId: id, toolName: 'weather' };
      const items: TranscriptItem[] = [
        { kind: 'user', text: 'go' },
        { kind: 'assistant', parts: [], calls: [{ ...named, input: {} }] },
        { kind: 'results', results: [{ ...named, outcome: { status: 'succeeded', output: 1 } }] },
      ];
      return [
        ...JSON.stringify(new Conversation(provider).messages('', viewOf(items))).matchAll(/"toolCallId":"([^"]*)"/g),
      ].map((found) => found[1]);
    };
    expect(idsFor('openai.chat', 'call_1')).toEqual(['call_1', 'call_1']);
    expect(idsFor('mistral.chat', 'gSIMJiOkT')).toEqual(['gSIMJiOkT', 'gSIMJiOkT']);
    for (const [provider, form] of [
      ['anthropic.messages', /^call_[0-9a-f]{32}$/],
      ['mistral.chat', /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const [ofCall, ofResult] = idsFor(provider, long);
      expect(ofCall).toMatch(form);
      expect(ofResult).toBe(ofCall);
      expect(idsFor(provider, `${long}y`)[0]).not.toBe(ofCall);
    }
  });

  test('an item is converted once, however often the conversation is sent', () => {
    const items: TranscriptItem[] = [{ kind: 'user', text: 'one' }];
    const conversation = new Conversation();
    const before = conversation.messages('Be brief.', viewOf(items));
    const after = conversation.messages('Be brief.', viewOf([...items, { kind: 'user', text: 'two' }]));
    expect(after[1]).toBe(before[1]);
    expect(before).toHaveLength(2);
    expect(after).toHaveLength(3);
  });

  test('a conversation that was cut in the middle, or that has other instructions, is sent as it is now', () => {
    const [first, second, third]: TranscriptItem[] = [
      { kind: 'user', text: 'one' },
      { kind: 'user', text: 'two' },
      { kind: 'user', text: 'three' },
    ];
    if (first === undefined || second === undefined || third === undefined) throw new Error('unreachable');
    const conversation = new Conversation();
    const texts = (items: readonly TranscriptItem[], instructions = ''): unknown[] =>
      conversation
        .messages(instructions, viewOf(items))
        .map(({ content }) => (typeof content === 'string' ? content : content[0]));
    const text = (words: string): object => ({ type: 'text', text: words });
    expect(texts([first, second, third])).toEqual([text('one'), text('two'), text('three')]);
    expect(texts([first, third])).toEqual([text('one'), text('three')]);
    expect(texts([first, second])).toEqual([text('one'), text('two')]);
    expect(texts([first], 'A')).toEqual(['A', text('one')]);
    expect(texts([first, second], 'B')).toEqual(['B', text('one'), text('two')]);
    expect(texts([])).toEqual([]);
  });

  describe('of a log that grows', () => {
    const say = (text: string): TranscriptItem => ({ kind: 'user', text });
    const grown = (view: Transcript, ...texts: readonly string[]): Transcript =>
      texts.reduce((longer, text) => longer.with(say(text)), view);
    const saidIn = (messages: readonly PromptMessage[]): readonly unknown[] =>
      messages
        .map(({ content }) =>
          typeof content === 'string' ? content : content.map((part) => 'text' in part && part.text),
        )
        .flat();

    /** A view that counts the items that it hands out. */
    function counted(view: ConversationView): ConversationView & { readonly handedOut: () => number } {
      let count = 0;
      return {
        log: view.log,
        length: view.length,
        items: (start) => {
          const items = view.items(start);
          count += items.length;
          return items;
        },
        handedOut: () => count,
      };
    }

    test('only what is new is touched, whatever the length', () => {
      const conversation = new Conversation();
      let view = grown(Transcript.empty, ...Array.from({ length: 100 }, (_, index) => `old ${index}`));
      const before = conversation.messages('Be brief.', view);
      for (let turn = 0; turn < 3; turn += 1) {
        view = grown(view, `question ${turn}`, `answer ${turn}`);
        const longer = counted(view);
        const messages = conversation.messages('Be brief.', longer);
        expect(longer.handedOut()).toBe(2);
        expect(messages).toHaveLength(101 + 2 * (turn + 1));
        expect(messages.every((message, place) => place > 100 || message === before[place])).toBe(true);
      }
      const same = counted(view);
      expect(conversation.messages('Be brief.', same)).toHaveLength(107);
      expect(same.handedOut()).toBe(0);
    });

    test('what it goes on with after a shorter view, another branch or other items is sent as it is now', () => {
      const conversation = new Conversation();
      const sent = (view: ConversationView): readonly unknown[] => saidIn(conversation.messages('', view));
      const two = grown(Transcript.empty, 'one', 'two');
      const four = grown(two, 'three', 'four');
      const branch = grown(two, 'other', 'words', 'again');
      expect(sent(four)).toEqual(['one', 'two', 'three', 'four']);
      expect(sent(two)).toEqual(['one', 'two']);
      expect(sent(branch)).toEqual(['one', 'two', 'other', 'words', 'again']);
      expect(sent(four)).toEqual(['one', 'two', 'three', 'four']);
      const edited = [...branch.items(0)].with(1, say('changed'));
      expect(sent(viewOf(edited))).toEqual(['one', 'changed', 'other', 'words', 'again']);
      expect(sent(branch)).toEqual(['one', 'two', 'other', 'words', 'again']);
      expect(sent(Transcript.empty)).toEqual([]);
      expect(sent(grown(branch, 'end'))).toEqual(['one', 'two', 'other', 'words', 'again', 'end']);
    });

    test('an item that cannot be converted leaves what was converted where it belongs', () => {
      const conversation = new Conversation();
      const two = grown(Transcript.empty, 'one', 'two');
      const four = grown(two, 'three', 'four');
      conversation.messages('', four);
      // Not what the compiler lets through: a journal of another version might.
      const broken = grown(two, 'other').with({ kind: 'results' } as unknown as TranscriptItem);
      expect(() => conversation.messages('', broken)).toThrow();
      expect(saidIn(conversation.messages('', four))).toEqual(['one', 'two', 'three', 'four']);
    });
  });
});
