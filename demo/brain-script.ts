/**
 * The scripted model of the demo. It does one job: look up tomorrow's weather, advise what to wear, write a travel memo, e-mail it.
 *
 * Like a real model it knows nothing but the conversation it is shown, so it can be asked the same thing twice, and after any number of kills.
 * The task names the city, the address and the folder of the memo:
 *
 *     "Look up tomorrow's weather in Beijing ..., write a travel memo into the folder /tmp/memos and e-mail it to ada@example.com."
 *
 * Its first call is sloppy in a way that models are: the number of days is a text. A call that failed it sends again, up to `maxTries` times;
 * one that was denied, or whose effect is uncertain, it does not.
 */
import type { ChatAnswer, ChatMessage, ChatTool, ChatToolCall } from './chat-format.ts';

interface Forecast {
  readonly highC: number;
  readonly lowC: number;
  readonly conditions: string;
}

interface Task {
  readonly city: string;
  readonly memoPath: string;
  readonly address: string;
}

/** A call that the conversation shows, with what came of it. */
interface PastCall {
  readonly name: string;
  readonly result: string;
}

const maxTries = 3;

/** What the model says next. */
export function nextMessage(messages: readonly ChatMessage[], tools: readonly ChatTool[]): ChatAnswer {
  const task = readTask(messages);
  if (task === undefined) {
    return say('I am a scripted model and know one job: a travel memo about the weather of tomorrow.');
  }
  const calls = pastCalls(messages);
  const turn = new Turn(calls, tools);
  const forecast = lastForecast(calls);
  if (forecast === undefined) return lookUp(task, calls, turn);
  const memo = writeMemo(task, forecast);
  if (!hasSucceeded(calls, 'write_file')) {
    return turn.call(
      'write_file',
      { path: task.memoPath, content: memo },
      `${advise(forecast)} I write that into the memo.`,
    );
  }
  const mailed = lastCall(calls, 'send_email');
  if (mailed === undefined) {
    return turn.call('send_email', { to: task.address, subject: `Travel memo: ${task.city} tomorrow`, text: memo });
  }
  return say(conclude(task, forecast, mailed.result));
}

function lookUp(task: Task, calls: readonly PastCall[], turn: Turn): ChatAnswer {
  const tries = calls.filter((call) => isNamed(call.name, 'get_weather')).length;
  if (tries === 0) return turn.call('get_weather', { city: task.city, days: '1' }, 'I look up the weather first.');
  if (tries < maxTries) {
    return turn.call('get_weather', { city: task.city, days: 1 }, 'That gave no forecast. I try again.');
  }
  return say(
    `I could not find out the weather in ${task.city}, so I wrote no memo and sent no mail. Please try again later.`,
  );
}

/** The turn that is being written: which tools there are, and how many calls came before. */
class Turn {
  readonly #calls: readonly PastCall[];
  readonly #tools: readonly ChatTool[];

  constructor(calls: readonly PastCall[], tools: readonly ChatTool[]) {
    this.#calls = calls;
    this.#tools = tools;
  }

  /** Calls the tool, or says why it cannot. */
  call(name: string, input: Readonly<Record<string, string | number>>, words: string | null = null): ChatAnswer {
    const tool = this.#tools.find((tool) => isNamed(tool.function.name, name));
    if (tool === undefined) return say(`I cannot go on: there is no tool ${name}.`);
    const earlier = this.#calls.filter((call) => isNamed(call.name, name));
    const last = earlier.at(-1)?.result ?? '';
    if (isFinal(last)) return say(`I stop here. ${last}`);
    if (earlier.length >= maxTries) return say(`I give up: ${name} failed ${earlier.length} times. ${last}`);
    // The id follows from the conversation: a model that is asked again after a kill gives the same one.
    const id = `call_${this.#calls.length + 1}`;
    return {
      content: words,
      tool_calls: [{ id, type: 'function', function: { name: tool.function.name, arguments: JSON.stringify(input) } }],
    };
  }
}

function say(content: string): ChatAnswer {
  return { content };
}

/** Tools of a server may be shown with its name in front, and with a few characters behind. */
function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name.includes(wanted);
}

function readTask(messages: readonly ChatMessage[]): Task | undefined {
  const words = messages
    .filter(({ role }) => role !== 'assistant' && role !== 'tool')
    .map(({ content }) => content ?? '')
    .join('\n');
  const city = /weather (?:in|of|for) ([A-Z][\p{L}-]*(?: [A-Z][\p{L}-]*)*)/u.exec(words)?.[1];
  if (city === undefined) return undefined;
  const folder = /(?:folder|directory) (\/[^\s,;"']*[^\s,;"'.])/.exec(words)?.[1];
  const file = `${city.toLowerCase().replaceAll(' ', '-')}-memo.md`;
  const address = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(words)?.[0] ?? 'traveller@example.com';
  return { city, memoPath: folder === undefined ? file : `${folder}/${file}`, address };
}

function pastCalls(messages: readonly ChatMessage[]): readonly PastCall[] {
  const results = new Map(
    messages.flatMap(({ tool_call_id: id, content }) => (id === undefined ? [] : [[id, content ?? ''] as const])),
  );
  const calls: readonly ChatToolCall[] = messages.flatMap((message) => message.tool_calls ?? []);
  return calls.map((call) => ({ name: call.function.name, result: results.get(call.id) ?? '' }));
}

function lastCall(calls: readonly PastCall[], name: string): PastCall | undefined {
  return calls.findLast((call) => isNamed(call.name, name));
}

function hasSucceeded(calls: readonly PastCall[], name: string): boolean {
  const call = lastCall(calls, name);
  return call !== undefined && !isFailure(call.result);
}

function isFailure(result: string): boolean {
  return /^(?:The call (?:failed|was denied|was cancelled)|Nobody approved|It is not known)/.test(result);
}

/** A refusal, or a doubt: sending the call again would be wrong. */
function isFinal(result: string): boolean {
  return isFailure(result) && (!result.startsWith('The call failed') || isUncertain(result));
}

function isUncertain(result: string): boolean {
  return result.startsWith('It is not known') || /effect may have happened/.test(result);
}

function lastForecast(calls: readonly PastCall[]): Forecast | undefined {
  return calls
    .filter((call) => isNamed(call.name, 'get_weather'))
    .map((call) => readForecast(call.result))
    .findLast((found) => found !== undefined);
}

function readForecast(result: string): Forecast | undefined {
  let value: unknown;
  try {
    value = JSON.parse(result);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { highC, lowC, conditions } = {
    highC: undefined,
    lowC: undefined,
    conditions: undefined,
    ...value,
  } as Readonly<Record<string, unknown>>;
  if (typeof highC !== 'number' || typeof lowC !== 'number' || typeof conditions !== 'string') return undefined;
  return { highC, lowC, conditions };
}

function advise({ highC, lowC }: Forecast): string {
  if (lowC < 0) return 'Wear a warm coat, a hat and gloves, with layers to take off indoors.';
  if (highC < 18) return 'Wear a jacket and something warm below it.';
  return 'Light clothes will do.';
}

function writeMemo(task: Task, forecast: Forecast): string {
  return [
    `# ${task.city}, tomorrow`,
    '',
    `Between ${forecast.lowC} and ${forecast.highC} degrees Celsius; ${forecast.conditions}.`,
    '',
    advise(forecast),
    '',
  ].join('\n');
}

function conclude(task: Task, forecast: Forecast, mailResult: string): string {
  const memo = `Tomorrow in ${task.city} it will be between ${forecast.lowC} and ${forecast.highC} degrees. ${advise(forecast)} The memo is in ${task.memoPath}`;
  if (!isFailure(mailResult)) return `${memo}, and I mailed it to ${task.address}.`;
  if (isUncertain(mailResult)) {
    return `${memo}. Whether the mail to ${task.address} went out is not known, so I did not send it again.`;
  }
  return `${memo}. The mail to ${task.address} was not sent. ${mailResult}`;
}
