import { describe, expect, test } from 'vitest';
import { nextMessage } from '../../demo/brain-script.ts';
import type { ChatAnswer, ChatMessage, ChatTool } from '../../demo/chat-format.ts';
import { weatherTool } from '../../demo/weather-tool.ts';
import { bindCall } from '../../src/contract/bind.ts';

const tools: readonly ChatTool[] = ['get_weather', 'files_write_file_a1b2c3d4e5', 'send_email'].map((name) => ({
  type: 'function',
  function: { name },
}));

const task: ChatMessage = {
  role: 'user',
  content:
    "Look up tomorrow's weather in Beijing, advise me what to wear, write a travel memo into the folder /tmp/memos and e-mail it to ada@example.com.",
};

const forecast = JSON.stringify({ city: 'Beijing', date: '2026-12-01', highC: 3, lowC: -6, conditions: 'clear' });
const timedOut = 'The call failed (tool-timed-out): no answer within 2 s.\nIt changed nothing.';

/** The conversation in which the script's calls were answered with these results, and what it says after them. */
function play(...results: readonly string[]): { readonly said: readonly ChatAnswer[]; readonly last: ChatAnswer } {
  const messages: ChatMessage[] = [task];
  const said: ChatAnswer[] = [nextMessage(messages, tools)];
  for (const result of results) {
    const answer = said.at(-1);
    const call = answer?.tool_calls?.[0];
    if (answer === undefined || call === undefined) throw new Error(`There is no call for the result ${result}.`);
    messages.push({ role: 'assistant', ...answer }, { role: 'tool', tool_call_id: call.id, content: result });
    said.push(nextMessage(messages, tools));
  }
  return { said, last: said.at(-1) ?? { content: null } };
}

function callOf(answer: ChatAnswer): unknown {
  const call = answer.tool_calls?.[0];
  return call === undefined
    ? undefined
    : { name: call.function.name, input: JSON.parse(call.function.arguments) as unknown };
}

describe('the scripted model', () => {
  test('begins with a sloppy call: the number of days is a text', () => {
    expect(callOf(play().last)).toEqual({ name: 'get_weather', input: { city: 'Beijing', days: '1' } });
  });

  test('the sloppy call is repaired for certain, and the repair is recorded', () => {
    const contract = weatherTool('http://127.0.0.1:1');
    const written = play().last.tool_calls?.[0]?.function;
    const binding = bindCall(
      { toolCallId: 'call_1', toolName: 'get_weather', argumentsText: written?.arguments ?? '' },
      {
        callId: '1.0',
        lookup: (name) => (name === contract.name ? contract : undefined),
        names: [contract.name],
        truncated: false,
      },
    );
    expect(binding).toMatchObject({
      kind: 'bound',
      call: { input: { city: 'Beijing', days: 1 }, repairs: [{ path: '/days', before: '1', after: 1 }] },
    });
  });

  test('advises, writes the memo into the folder of the task, and mails it to the address of the task', () => {
    const { said, last } = play(forecast, 'Successfully wrote to /tmp/memos/beijing-memo.md', '{"accepted":true}');
    expect(said[1]?.content).toContain('warm coat');
    const content: unknown = expect.stringContaining('Between -6 and 3 degrees');
    expect(said.map(callOf)).toEqual([
      { name: 'get_weather', input: { city: 'Beijing', days: '1' } },
      { name: 'files_write_file_a1b2c3d4e5', input: { path: '/tmp/memos/beijing-memo.md', content } },
      { name: 'send_email', input: { to: 'ada@example.com', subject: 'Travel memo: Beijing tomorrow', text: content } },
      undefined,
    ]);
    expect(last.content).toContain('I mailed it to ada@example.com');
  });

  test('asks for the weather again after a failure or a result that it cannot read', () => {
    const { said } = play(timedOut, '{"data":{"temperature":"-6..3 C"}}', forecast);
    expect(said.map((answer) => answer.tool_calls?.[0]?.function.name)).toEqual([
      'get_weather',
      'get_weather',
      'get_weather',
      'files_write_file_a1b2c3d4e5',
    ]);
    expect(new Set(said.map((answer) => answer.tool_calls?.[0]?.id)).size).toBe(4);
  });

  test('gives up after three failures, and says what was not done', () => {
    expect(play(timedOut, timedOut, timedOut).last).toEqual({
      content: expect.stringContaining('wrote no memo') as unknown,
    });
  });

  test('says the same thing when it is asked the same thing again', () => {
    expect(play(timedOut, forecast).last).toEqual(play(timedOut, forecast).last);
  });

  test.each([
    ['denied', 'The call was denied, so it was not made. Reason: no.', 'was not sent'],
    ['in doubt', 'It is not known whether this call took effect.', 'is not known'],
    [
      'failed with an uncertain effect',
      'The call failed (tool-failed): reset.\nIts effect may have happened nevertheless: check.',
      'is not known',
    ],
  ])('does not send a mail again that was %s', (_, result, words) => {
    const { last } = play(forecast, 'done', result);
    expect(last.tool_calls).toBeUndefined();
    expect(last.content).toContain(words);
  });

  test('does not write a memo again that a person denied', () => {
    expect(play(forecast, 'The call was denied, so it was not made.').last.tool_calls).toBeUndefined();
  });

  test('names the tool that it lacks', () => {
    expect(nextMessage([task], []).content).toContain('get_weather');
  });

  test('knows no other job', () => {
    expect(nextMessage([{ role: 'user', content: 'Write a poem.' }], tools).content).toContain('one job');
  });
});
