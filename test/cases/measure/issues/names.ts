/** Names: calls of tools that do not exist, and names that a provider does not take. */
import { agent, createAxle, tool } from 'axle';
import type { ScriptedTurn } from 'axle/testing';
import { type Fields, listOf, textOf } from '../fields.ts';
import { observe, refusalsOf } from '../trial.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

export function nameCases(issue: Issue): Promise<Verdict> | Verdict {
  const { input } = issue;
  if (input['modelTurns'] !== undefined) return turnsOfModel(issue);
  const pattern = typeof input['provider'] === 'string' ? /\^\S*\$/.exec(input['provider'])?.[0] : undefined;
  return pattern === undefined ? notCovered('nothing that is known about names') : aliasesFor(input, pattern);
}

function namesOf(input: Fields): readonly string[] {
  return listOf(input['tools'], 'tools').map((name) => textOf(name, 'tools'));
}

/** The model calls what it likes: what exists runs, what does not is answered with the tools that do. */
async function turnsOfModel({ input, expect }: Issue): Promise<Verdict> {
  const names = namesOf(input);
  const turns = listOf(input['modelTurns'], 'modelTurns').map(turnOf);
  const tools = names.map((name) => ({ name, inputSchema: { type: 'object' }, effect: 'read' as const }));
  const seen = await observe({ tools, turns });
  const expected = listOf(expect['executed'], 'expect.executed');
  const ran = seen.ran.map(({ tool: name }) => name);
  if (JSON.stringify(ran) !== JSON.stringify(expected)) return wrong(`these ran: ${ran.join(', ')}`);
  if (seen.result.status !== 'completed') return wrong(`the run ended as ${seen.result.status}`);
  const calls = turns.reduce(
    (sum, turn) => sum + (typeof turn === 'object' && 'calls' in turn ? turn.calls.length : 0),
    0,
  );
  const refusals = refusalsOf(seen);
  if (refusals.length !== calls - ran.length) return wrong(`${refusals.length} calls were refused`);
  const unhelpful = refusals.find(
    ({ message }) => !names.every((name) => message.includes(name)) || /permi|denied|not allowed/i.test(message),
  );
  return unhelpful === undefined ? right : wrong(`the model was told: ${unhelpful.message}`);
}

function turnOf(turn: unknown): ScriptedTurn {
  if (typeof turn === 'string') return turn;
  return {
    calls: listOf(turn, 'modelTurns').map((call) => {
      const [, name = '', written = ''] = /^([^(]+)\((.*)\)$/s.exec(textOf(call, 'modelTurns')) ?? [];
      return { name, input: written === '' ? '{}' : written };
    }),
  };
}

interface Shown {
  readonly name: string;
  readonly description: string;
}

/** Every tool has an alias of its own that the provider takes, whatever other tools there are, and a call of it runs that tool. */
async function aliasesFor(input: Fields, pattern: string): Promise<Verdict> {
  const names = namesOf(input);
  const legal = new RegExp(pattern);
  const whole = await shownOf(names);
  if (whole.ran.join('\n') !== names.join('\n')) return wrong(`calls of the aliases ran ${whole.ran.join(', ')}`);
  const aliases = [...whole.aliases.values()];
  if (new Set(aliases).size !== names.length) return wrong(`the aliases are ${aliases.join(', ')}`);
  const illegal = aliases.find((alias) => !legal.test(alias));
  if (illegal !== undefined) return wrong(`${illegal} is not what the provider takes`);
  for (const name of names) {
    const alone = (await shownOf([name])).aliases.get(name);
    if (alone !== whole.aliases.get(name)) {
      return wrong(`${name} is ${alone} alone and ${whole.aliases.get(name)} among others`);
    }
  }
  return right;
}

/** What a model of the AI SDK is shown of tools, and what runs when it calls each of them. */
async function shownOf(
  names: readonly string[],
): Promise<{ readonly aliases: ReadonlyMap<string, string>; readonly ran: readonly string[] }> {
  const ran: string[] = [];
  let shown: readonly Shown[] = [];
  const contracts = names.map((name) =>
    tool({
      name,
      description: `Tool ${name}`,
      effect: 'read',
      parallel: false,
      input: { type: 'object' },
      execute: () => {
        ran.push(name);
        return null;
      },
    }),
  );
  const model = {
    specificationVersion: 'v3' as const,
    provider: 'provider-of-case',
    modelId: 'model-of-case',
    doGenerate: async ({ tools = [] }: { readonly tools?: readonly Shown[] }): Promise<unknown> => {
      const isFirst = shown.length === 0;
      shown = tools;
      const calls = tools.map(({ name }, index) => ({
        type: 'tool-call',
        toolCallId: `call_${index}`,
        toolName: name,
        input: '{}',
      }));
      const content = isFirst ? calls : [{ type: 'text', text: 'done' }];
      return { content, finishReason: { unified: isFirst ? 'tool-calls' : 'stop' }, usage: {} };
    },
  };
  const subject = agent({ name: 'subject', model, tools: names });
  await using axle = await createAxle({ store: ':memory:', tools: contracts, agents: [subject], log: () => {} });
  await (await axle.start('subject', { input: 'Call each of them.' })).result();
  const described = new Map(shown.map(({ name, description }) => [description.split('\n')[0], name]));
  return { aliases: new Map(names.map((name) => [name, described.get(`Tool ${name}`) ?? ''])), ran };
}
