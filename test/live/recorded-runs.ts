/**
 * Fifty runs that stream: the recorded conversations of the airline desk, and scripts for what those do not have (reasoning, parallel calls with progress, broken calls,
 * a model that breaks off, a process that dies, people who are asked). Each can be played as often as one likes, before an audience.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { agent, type Axle, type Brain, type BrainAnswer, type Contract, createAxle, tool } from '../../src/axle.ts';
import type { ModelPart } from '../../src/call/message.ts';
import type { Store } from '../../src/journal/store.ts';
import {
  createHandClock,
  createMemoryStore,
  type HandClock,
  scriptedBrain,
  type ScriptedTurn,
} from '../../src/testing.ts';
import { type Pieces, sayInPieces } from '../../src/testing/say-in-pieces.ts';
import { systemIds } from '../../src/util/system-identity.ts';
import { airlineAgent } from '../cases/airline/customer.ts';
import { AirlineDesk } from '../cases/airline/desk.ts';
import { deskTools } from '../cases/airline/desk-tools.ts';
import { ledgerInMemory } from '../cases/airline/ledger.ts';
import { recordedBrain } from '../cases/airline/recorded-brain.ts';
import { readRecordings, type Recording, replyAfter } from '../cases/airline/recording.ts';
import { cutOffStore } from '../run/world.ts';
import type { Audience } from './cut-points.ts';

export interface RecordedRun {
  readonly name: string;
  /** Plays the run to its end before an audience, which has read everything before each piece of the model's and each progress of a tool. Gives its id. */
  play(audience: Audience): Promise<{ readonly runId: string; readonly store: Store }>;
}

/** What a script adds to its turns. */
interface Script {
  readonly turns: readonly ScriptedTurn[];
  readonly pieceChars?: number;
  /** The model breaks off before these pieces, counted over the whole run. */
  readonly failsAt?: readonly number[];
  /** The process dies before this piece. */
  readonly diesAt?: number;
  /** What is sent to the run when it waits for a message; then it is cancelled. */
  readonly messages?: readonly string[];
  /** What the person says when asked. */
  readonly approves?: boolean;
}

/** All of them, always the same. */
export function recordedRuns(): readonly RecordedRun[] {
  const airline = readRecordings().map(airlineRun);
  const scripts = Object.entries(scripted()).map(([name, script]) => ({
    name,
    play: (audience: Audience) => playScript(script, audience),
  }));
  return [...airline, ...scripts];
}

function airlineRun(recording: Recording): RecordedRun {
  return {
    name: `airline ${recording.id}`,
    play: async (audience) => {
      const desk = new AirlineDesk(recording, ledgerInMemory());
      const store = createMemoryStore();
      const brain = recordedBrain(desk);
      const pieces = { pieceChars: 150, beforePiece: () => audience.quiet() };
      const model: Brain = {
        id: brain.id,
        generate: async (request) => {
          const answer = await brain.generate(request);
          if (answer.status === 'answered') await sayInPieces(answer.parts, request, pieces);
          return answer;
        },
      };
      const { clock, axle } = await open({ store, tools: deskTools(desk), agents: [{ ...airlineAgent(desk), model }] });
      const run = await axle.start('airline', { input: recording.opening });
      audience.enter((options) => axle.run(run.id).stream(options));
      await carryOn(run.id, { axle, store, clock, audience, reply: (steps) => replyAfter(recording, steps) });
      return { runId: run.id, store };
    },
  };
}

async function open(parts: {
  readonly store: Store;
  readonly tools: readonly Contract[];
  readonly agents: Parameters<typeof createAxle>[0]['agents'];
  readonly clock?: HandClock;
}): Promise<{ readonly axle: Axle; readonly clock: HandClock }> {
  const { store, tools, agents = [], clock = createHandClock() } = parts;
  const ports = { clock, timers: clock, random: { next: () => 0.5 }, ids: systemIds };
  return { clock, axle: await createAxle({ store, tools, agents, ports, log: () => {} }) };
}

interface Playing {
  readonly axle: Axle;
  readonly store: Store;
  readonly clock: HandClock;
  readonly audience: Audience;
  readonly reply?: (steps: number) => string | undefined;
  readonly approves?: boolean;
  readonly isOver?: () => boolean;
}

/** Turns of the event loop after which a run that does not move is given up. */
const maxTurns = 200_000;

/** Lets time pass, answers and says what is waited for, until the run has ended. */
async function carryOn(runId: string, playing: Playing): Promise<void> {
  const { axle, store, clock, audience } = playing;
  let answered = -1;
  for (let turns = 0; turns < maxTurns; turns += 1) {
    await turn();
    if (playing.isOver?.() === true) return;
    const summary = await store.run(runId);
    if (summary === undefined || summary.status.state === 'ended') return;
    const { status, seq } = summary;
    if (status.state !== 'waiting' || answered === seq) continue;
    await audience.quiet();
    answered = seq;
    const [on] = status.waitingOn;
    if (on?.kind === 'message') {
      const words = playing.reply?.(status.steps);
      await (words === undefined ? axle.run(runId).cancel('Nobody says anything.') : axle.run(runId).send(words));
    } else if (on?.kind === 'approval') {
      const decision = playing.approves === true ? 'approve' : 'deny';
      await axle.approvals.resolve(on.approvalId, { decision });
    } else if (status.wakeAtMs !== undefined) {
      await clock.advance(Math.max(0, status.wakeAtMs - clock.nowMs()));
    }
  }
  throw new Error(`Run ${runId} does not move.`);
}

async function playScript(
  script: Script,
  audience: Audience,
): Promise<{ readonly runId: string; readonly store: Store }> {
  const { turns, pieceChars = 7, failsAt = [], diesAt, messages = [], approves } = script;
  const store = createMemoryStore();
  const first = cutOffStore(store);
  const life = { isOver: false };
  let said = 0;
  const beforePiece = async (): Promise<void> => {
    await audience.quiet();
    said += 1;
    if (failsAt.includes(said)) throw new Error('The connection to the model broke.');
    if (said !== diesAt) return;
    first.cutOff();
    life.isOver = true;
    await new Promise(() => {});
  };
  const clock = createHandClock();
  const begin = (place: Store): Promise<{ readonly axle: Axle }> =>
    open({
      store: place,
      clock,
      tools: scriptTools(audience),
      agents: [
        agent({
          name: 'worker',
          tools: ['*'],
          model: scriptedBrain(turns, { pieceChars, beforePiece } satisfies Pieces),
          ...(messages.length > 0 ? { onAnswer: 'wait' as const } : {}),
        }),
      ],
    });
  let { axle } = await begin(first.store);
  const left = [...messages];
  const reply = (): string | undefined => left.shift();
  const run = await axle.start('worker', { input: 'Please do it.' });
  audience.enter((options) => axle.run(run.id).stream(options));
  const playing = { store, clock, audience, reply, ...(approves === undefined ? {} : { approves }) };
  await carryOn(run.id, { ...playing, axle, isOver: () => life.isOver });
  if (life.isOver) {
    await audience.leave();
    ({ axle } = await begin(store));
    audience.enter((options) => axle.run(run.id).stream(options));
    await carryOn(run.id, { ...playing, axle });
  }
  await audience.quiet();
  return { runId: run.id, store };
}

function scriptTools(audience: Audience): readonly Contract[] {
  const open = { type: 'object', additionalProperties: true } as const;
  return [
    tool({
      name: 'look',
      description: 'Looks something up, and says how far it is.',
      effect: 'read',
      input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
      execute: async ({ what }, context) => {
        for (const done of [1, 2]) {
          await audience.quiet();
          context.progress({ done, total: 2 });
        }
        context.log('Found it.', { what: what ?? null });
        return { found: what ?? null };
      },
    }),
    tool({
      name: 'note',
      description: 'Writes a note, which later calls can read.',
      effect: 'idempotent',
      input: open,
      publishes: { 'last.note': { at: '/text' } },
      execute: async (input) => ({ text: JSON.stringify(input) }),
    }),
    tool({ name: 'pay', description: 'Pays.', risk: 'high', input: open, execute: async () => 'paid' }),
  ];
}

const question = { name: 'look', input: { what: 'the weather' } };
const hostile = 'Ünïcödé 👩‍👩‍👧‍👦 \u202Eright to left\u202C <script>alert(1)</script>\r\nid: 9.9\r\n\r\ndata: x\u2028end';

function reasoned(...parts: readonly ModelPart[]): BrainAnswer {
  const finishReason = parts.some(({ kind }) => kind === 'call') ? 'tool-calls' : 'stop';
  return { status: 'answered', parts, finishReason, usage: { inputTokens: 3, outputTokens: 4, reasoningTokens: 2 } };
}

const thought: ModelPart = {
  kind: 'reasoning',
  text: 'First I look, then I answer.',
  meta: { some: { signature: 's' } },
};
const look = { kind: 'call', toolCallId: 'c1', toolName: 'look', argumentsText: '{"what":"the sea"}' } as const;

/** Each once with pieces of one length, and some with others. */
function scripted(): Readonly<Record<string, Script>> {
  const both = { calls: [question, { name: 'look', input: { what: 'the time' } }, { name: 'note', input: { a: 1 } }] };
  return {
    'text alone': { turns: ['It is a long answer that comes in many pieces.'] },
    'text in single characters': { turns: ['Yes, of course.'], pieceChars: 1 },
    'hostile text': { turns: [hostile], pieceChars: 3 },
    'hostile text, character by character': { turns: [hostile], pieceChars: 1 },
    reasoning: { turns: [reasoned(thought, { kind: 'text', text: 'The answer.' })] },
    'reasoning between texts': {
      turns: [reasoned({ kind: 'text', text: 'Well. ' }, thought, { kind: 'text', text: 'So it is.' })],
    },
    'reasoning and a call': { turns: [reasoned(thought, look), 'It is wide.'] },
    'reasoning, words and a call': { turns: [reasoned(thought, { kind: 'text', text: 'I look.' }, look), 'Wide.'] },
    'one call with progress': { turns: [{ calls: [question] }, 'It rains.'] },
    'parallel calls': { turns: [{ text: 'Two things.', calls: both.calls }, 'Done.'] },
    'parallel calls, tiny pieces': { turns: [both, 'Done.'], pieceChars: 2 },
    'three turns': { turns: [{ calls: [question] }, { calls: [{ name: 'note', input: { b: 2 } }] }, 'Noted.'] },
    'calls with the same id': {
      turns: [
        {
          calls: [
            { id: 'x', ...question },
            { id: 'x', name: 'note', input: { c: 3 } },
          ],
        },
        'Done.',
      ],
    },
    'calls without an id': { turns: [reasoned({ ...look, toolCallId: '' }), 'Done.'] },
    'arguments that cannot be used': { turns: [{ calls: [{ name: 'look', input: { that: 5 } }] }, 'So be it.'] },
    'arguments that are mended': { turns: [{ calls: [{ name: 'look', input: "{'what': 'x',}" }] }, 'Fine.'] },
    'a tool that nobody has': { turns: [{ calls: [{ name: 'fly', input: {} }] }, 'I cannot fly.'] },
    'a call in the text': { turns: ['<tool_call>{"name":"look","arguments":{"what":"y"}}</tool_call>', 'There.'] },
    'an empty answer': { turns: ['', 'Now I say something.'] },
    'a model that breaks off': { turns: ['This answer breaks off and comes anew.'], failsAt: [4] },
    'a model that breaks off in a call': { turns: [{ calls: [question] }, 'Rain.'], failsAt: [3] },
    'a model that breaks off for good': { turns: ['It never gets to its end.'], failsAt: [3, 5, 7, 9] },
    'a process that dies in a text': { turns: ['This answer is cut by a crash, and comes anew.'], diesAt: 4 },
    'a process that dies in a call': { turns: [reasoned(thought, look), 'Wide.'], diesAt: 6 },
    'a process that dies in the second turn': { turns: [{ calls: [question] }, 'It rains, it seems.'], diesAt: 8 },
    'a person who agrees': { turns: [{ calls: [{ name: 'pay', input: { eur: 5 } }] }, 'Paid.'], approves: true },
    'a person who does not': { turns: [{ calls: [{ name: 'pay', input: { eur: 5 } }] }, 'Not paid.'], approves: false },
    'a conversation': { turns: ['Hello.', { calls: [question] }, 'It rains.'], messages: ['What is the weather?'] },
    'a conversation with words meanwhile': { turns: ['Hello.', 'Again.'], messages: ['And?', 'So?'] },
  };
}
