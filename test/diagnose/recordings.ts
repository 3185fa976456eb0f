/** Recordings of runs with one planted fault each, and of healthy ones, made by really running them. */
import type { AgentDeclaration, AxleOptions, Contract } from '../../src/axle.ts';
import { ToolError } from '../../src/axle.ts';
import type { FaultCode } from '../../src/diagnose/likely-fault.ts';
import type { Append } from '../../src/journal/entry.ts';
import type { HandClock, ScriptedTurn } from '../../src/testing.ts';
import { cutOffStore, Ledger, ledgerTool, openWorld } from '../run/world.ts';
import { createHandClock, createMemoryStore } from '../../src/testing.ts';

export interface Recording {
  readonly name: string;
  /** The planted fault; absent for a healthy run. */
  readonly fault?: FaultCode;
  readonly record: () => Promise<readonly Append[]>;
}

type Declared = Parameters<typeof ledgerTool>[2];

interface Plan {
  readonly input: string;
  readonly turns: readonly ScriptedTurn[] | ((request: unknown, turn: number) => ScriptedTurn);
  readonly tools: Readonly<Record<string, (Declared & { readonly takesMs?: number }) | undefined>>;
  readonly agent?: Partial<AgentDeclaration>;
  readonly upstreams?: AxleOptions['upstreams'];
  /** The process goes after this many effects, and another goes on. */
  readonly killedAfter?: number;
}

export const asks = (name: string, input: unknown): ScriptedTurn => ({ calls: [{ name, input }] });

/** Enough for every retry of these runs; nothing waits longer than that. */
const stepMs = 1_000;
const mostSteps = 400;

export async function recordingOf({
  input,
  turns,
  tools,
  agent,
  upstreams,
  killedAfter,
}: Plan): Promise<readonly Append[]> {
  const clock = createHandClock();
  const ledger = new Ledger();
  const contracts = Object.entries(tools).map(([name, declared]) => timed(ledger, name, { clock, declared }));
  const inner = createMemoryStore();
  const world = {
    tools: contracts,
    turns,
    clock,
    ...(agent === undefined ? {} : { agent }),
    ...(upstreams === undefined ? {} : { upstreams }),
  };
  const cut = cutOffStore(inner);
  const first = await openWorld({ ...world, store: killedAfter === undefined ? inner : cut.store });
  const handle = await first.axle.start('worker', { input });
  let current = first;
  for (let step = 0; step < mostSteps; step += 1) {
    await clock.advance(stepMs);
    if (killedAfter !== undefined && current === first && ledger.effects.length >= killedAfter) {
      cut.cutOff();
      current = await openWorld({ ...world, store: inner });
    }
    if ((await inner.run(handle.id))?.status.state === 'ended') break;
  }
  const appends = await inner.read(handle.id);
  if (current !== first) await current.axle.close();
  return appends;
}

function timed(
  ledger: Ledger,
  name: string,
  { clock, declared = {} }: { readonly clock: HandClock; readonly declared: Plan['tools'][string] },
): Contract {
  const { takesMs, run: does, ...rest } = declared;
  return ledgerTool(ledger, name, {
    effect: 'read',
    ...rest,
    run: async (value, context) => {
      if (takesMs !== undefined) {
        await new Promise<void>((resolve) => {
          clock.after(takesMs, resolve);
        });
      }
      return does === undefined ? { ok: true, of: name } : does(value, context);
    },
  });
}

const cityTool = {
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
} as const;
const overloaded = (): never => {
  throw new ToolError({ message: 'Too many requests.', code: 'upstream-rate-limited', retryAfterMs: 100 });
};
const notFound = (): never => {
  throw new ToolError({ message: 'There is no such order.' });
};
/** Some forty thousand characters. */
const big = 'lorem ipsum dolor sit amet '.repeat(1_500);
const cities = [
  'Oslo',
  'Bergen',
  'Rome',
  'Paris',
  'Lima',
  'Quito',
  'Cairo',
  'Accra',
  'Delhi',
  'Kyoto',
  'Seoul',
  'Hanoi',
  'Perth',
  'Turin',
  'Basel',
];
const forEver = (name: string, input: unknown) => (): ScriptedTurn => asks(name, input);

const planted: readonly (readonly [FaultCode, string, Plan])[] = [
  [
    'tool-never-called',
    'weather from memory',
    {
      input: 'What is the weather in Oslo tomorrow?',
      turns: ['It will be sunny, 21 degrees.'],
      tools: { get_weather: {} },
    },
  ],
  [
    'tool-never-called',
    'orders from memory',
    { input: 'Where is my order?', turns: ['It is on its way.'], tools: { 'orders.track': {}, get_weather: {} } },
  ],
  [
    'claim-without-call',
    'a mail that nobody sent',
    {
      input: 'Mail the report to Ann.',
      turns: [asks('read_report', {}), 'I have sent the mail to Ann.'],
      tools: { read_report: {}, send_mail: { effect: 'write' } },
    },
  ],
  [
    'claim-without-call',
    'a refund that failed',
    {
      input: 'Refund charge ch_12345.',
      turns: [asks('refund_charge', { id: 'ch_12345' }), 'The charge was refunded.'],
      tools: {
        refund_charge: {
          effect: 'write',
          run: () => {
            throw new ToolError({ message: 'The charge is too old.' });
          },
        },
      },
    },
  ],
  [
    'bad-arguments',
    'a parameter that is never given',
    {
      input: 'Compare two towns.',
      turns: [
        asks('get_weather', { town: 1 }),
        asks('get_weather', { place: [] }),
        asks('get_weather', {}),
        'I could not.',
      ],
      tools: { get_weather: cityTool },
    },
  ],
  [
    'bad-arguments',
    'until the run stops',
    { input: 'Look at the towns.', turns: forEver('get_weather', { nothing: true }), tools: { get_weather: cityTool } },
  ],
  [
    'invented-arguments',
    'an order that nobody named',
    {
      input: 'When does my parcel come?',
      turns: [asks('get_order', { id: 'ORD-99817' }), asks('get_order', { id: 'ORD-10001' }), 'I cannot find it.'],
      tools: { get_order: { run: notFound } },
    },
  ],
  [
    'invented-arguments',
    'an address out of the air',
    {
      input: 'Tell Ann about the meeting.',
      turns: [asks('look_up_person', { mail: 'ann.smith@example.com' }), 'I do not know Ann.'],
      tools: { look_up_person: { run: notFound } },
    },
  ],
  [
    'invented-tool',
    'tools of another house',
    {
      input: 'Close the ticket.',
      turns: [
        asks('jira_close', {}),
        asks('jira_transition', {}),
        asks('jira_resolve', {}),
        'I have no way to do that.',
      ],
      tools: { get_weather: {} },
    },
  ],
  [
    'loop',
    'one call for ever',
    { input: 'Is the build done?', turns: forEver('get_status', { build: 7 }), tools: { get_status: {} } },
  ],
  [
    'loop',
    'a circle of two',
    {
      input: 'Find a free slot.',
      turns: (_: unknown, turn: number) => asks(turn % 2 === 0 ? 'get_calendar' : 'get_rooms', {}),
      tools: { get_calendar: {}, get_rooms: {} },
    },
  ],
  [
    'lost-context',
    'asks again for what it has read',
    {
      input: 'Sum up the towns.',
      turns: [...cities.slice(0, 5), ...cities.slice(0, 4)]
        .map((city) => asks('get_report', { city }))
        .concat(['Done.']),
      tools: { get_report: { run: (value) => ({ value }) } },
    },
  ],
  [
    'tools-too-fine',
    'one row a step',
    {
      input: 'Add up all rows.',
      turns: (_: unknown, turn: number) => asks('get_row', { row: turn }),
      tools: { get_row: { run: (value) => ({ value }) } },
    },
  ],
  [
    'task-too-big',
    'many different things',
    {
      input: 'Plan the whole year.',
      turns: (_: unknown, turn: number) =>
        asks(['read_notes', 'read_mail', 'read_files'][turn % 3] ?? '', { page: turn }),
      tools: {
        read_notes: { run: (value) => ({ value }) },
        read_mail: { run: (value) => ({ value }) },
        read_files: { run: (value) => ({ value }) },
      },
    },
  ],
  [
    'slow-tool',
    'nine seconds each',
    {
      input: 'Read two pages.',
      turns: [asks('crawl', { page: 1 }), asks('crawl', { page: 2 }), 'Read.'],
      tools: { crawl: { takesMs: 9_000 } },
    },
  ],
  [
    'slow-tool',
    'to the time limit',
    {
      input: 'Read a page.',
      turns: [asks('crawl', { page: 1 }), 'It did not answer.'],
      tools: { crawl: { takesMs: 30_000, timeout: '2s' } },
    },
  ],
  [
    'repeat-after-resume',
    'the model mails again after a kill',
    {
      input: 'Send Ann the note.',
      turns: [asks('send_note', { to: 'Ann' }), asks('read_list', {}), asks('send_note', { to: 'Ann' }), 'Done.'],
      tools: { send_note: { effect: 'write' }, read_list: { takesMs: 4_000 } },
      killedAfter: 2,
    },
  ],
  [
    'upstream-overload',
    'turned away again and again',
    {
      input: 'Read three pages.',
      turns: [asks('get_page', { page: 1 }), asks('get_page', { page: 2 }), 'They were busy.'],
      tools: { get_page: { run: overloaded } },
    },
  ],
  [
    'upstream-overload',
    'a breaker that opens',
    {
      input: 'Read the pages.',
      turns: [asks('get_page', { page: 1 }), asks('get_page', { page: 2 }), 'They were away.'],
      tools: {
        get_page: {
          limits: { upstream: 'pages' },
          run: () => {
            throw new ToolError({ message: 'Away.', code: 'upstream-unavailable', class: 'retryable' });
          },
        },
      },
      upstreams: { pages: { breaker: true } },
    },
  ],
  [
    'token-waste',
    'a whole site in the context',
    {
      input: 'What is new?',
      turns: [
        asks('get_site', {}),
        asks('get_part', { part: 1 }),
        asks('get_part', { part: 2 }),
        asks('get_part', { part: 3 }),
        'Nothing.',
      ],
      tools: { get_site: { run: () => ({ text: big }) }, get_part: { run: (value) => ({ value }) } },
    },
  ],
];

export const faulty: readonly Recording[] = planted.map(([fault, name, plan]) => ({
  fault,
  name,
  record: () => recordingOf(plan),
}));

let flaky = 0;
const sound: readonly (readonly [string, Plan])[] = [
  ['an answer that needs no tool', { input: 'Say hello.', turns: ['Hello.'], tools: { get_weather: {} } }],
  [
    'one call and an answer',
    {
      input: 'What is the weather in Oslo?',
      turns: [asks('get_weather', { city: 'Oslo' }), 'Sunny.'],
      tools: { get_weather: cityTool },
    },
  ],
  [
    'a mail that was sent',
    {
      input: 'Mail Ann.',
      turns: [asks('send_mail', { to: 'Ann' }), 'I have sent the mail.'],
      tools: { send_mail: { effect: 'write' } },
    },
  ],
  [
    'parallel reads',
    {
      input: 'Compare.',
      turns: [{ calls: cities.slice(0, 5).map((city) => ({ name: 'get_weather', input: { city } })) }, 'Oslo.'],
      tools: { get_weather: cityTool },
    },
  ],
  [
    'one argument mended by the model',
    {
      input: 'Look at Oslo.',
      turns: [asks('get_weather', { town: 1 }), asks('get_weather', { city: 'Oslo' }), 'Sunny.'],
      tools: { get_weather: cityTool },
    },
  ],
  [
    'an argument mended by Axle',
    {
      input: 'Look at row 3.',
      turns: [asks('get_row', { row: '3' }), 'Done.'],
      tools: { get_row: { input: { type: 'object', properties: { row: { type: 'integer' } } } } },
    },
  ],
  [
    'a read that failed once',
    {
      input: 'Look.',
      turns: [asks('get_page', {}), 'Done.'],
      tools: {
        get_page: {
          run: () => {
            flaky += 1;
            if (flaky % 2 === 1) {
              throw new ToolError({ message: 'Busy.', code: 'upstream-unavailable', class: 'retryable' });
            }
            return 1;
          },
        },
      },
    },
  ],
  [
    'an order that the user named and that does not exist',
    {
      input: 'Where is ORD-99817?',
      turns: [asks('get_order', { id: 'ORD-99817' }), 'There is none.'],
      tools: { get_order: { run: notFound } },
    },
  ],
  [
    'an id out of a result',
    {
      input: 'Where is my order?',
      turns: [asks('list_orders', {}), asks('get_order', { id: 'ORD-5512' }), 'There.'],
      tools: { list_orders: { run: () => [{ id: 'ORD-5512' }] }, get_order: {} },
    },
  ],
  [
    'a status that is polled until it changes',
    {
      input: 'Wait for it.',
      turns: [asks('get_status', {}), asks('get_status', {}), asks('get_status', {}), asks('get_status', {}), 'Done.'],
      tools: {
        get_status: {
          run: () => {
            flaky += 1;
            return { percent: flaky };
          },
        },
      },
    },
  ],
  [
    'read again after it was changed',
    {
      input: 'Set both.',
      turns: [
        asks('get_a', {}),
        asks('get_b', {}),
        asks('set_both', {}),
        asks('get_a', {}),
        asks('get_b', {}),
        'Done.',
      ],
      tools: { get_a: {}, get_b: {}, set_both: { effect: 'idempotent' } },
    },
  ],
  [
    'six pages',
    {
      input: 'Read on.',
      turns: [...cities.slice(0, 6).map((city) => asks('get_page', { city })), 'Done.'],
      tools: { get_page: { run: (value) => ({ value }) } },
    },
  ],
  ['two seconds', { input: 'Read.', turns: [asks('crawl', {}), 'Done.'], tools: { crawl: { takesMs: 2_000 } } }],
  [
    'a large result that ends the run',
    { input: 'Read.', turns: [asks('get_site', {}), 'Done.'], tools: { get_site: { run: () => ({ text: big }) } } },
  ],
  [
    'killed, and nothing is asked again',
    {
      input: 'Send it.',
      turns: [asks('send_note', {}), asks('read_list', {}), 'Done.'],
      tools: { send_note: { effect: 'write' }, read_list: { takesMs: 4_000 } },
      killedAfter: 2,
    },
  ],
  [
    'an unknown tool once',
    { input: 'Read.', turns: [asks('zzz_unknown', {}), asks('get_page', {}), 'Done.'], tools: { get_page: {} } },
  ],
  [
    'a tool that says no',
    {
      input: 'Read 4.',
      turns: [asks('get_page', { page: 4 }), asks('get_page', { page: 3 }), 'Page 3.'],
      tools: {
        get_page: {
          run: (value) => {
            if (JSON.stringify(value).includes('4')) throw new ToolError({ message: 'There are 3 pages.' });
            return 1;
          },
        },
      },
    },
  ],
  [
    'many tools, some steps',
    {
      input: 'Plan.',
      turns: [
        asks('read_notes', { page: 1 }),
        asks('read_mail', { page: 2 }),
        asks('read_files', { page: 3 }),
        asks('write_plan', {}),
        'I have written the plan.',
      ],
      tools: { read_notes: {}, read_mail: {}, read_files: {}, write_plan: { effect: 'idempotent' } },
    },
  ],
  [
    'two writes',
    {
      input: 'Book and mail.',
      turns: [
        asks('book_table', { at: '20:00' }),
        asks('send_mail', { to: 'Ann' }),
        'The table was booked and the mail was sent.',
      ],
      tools: { book_table: { effect: 'write' }, send_mail: { effect: 'write' } },
    },
  ],
  [
    'an answer that says what was not done',
    {
      input: 'Mail Ann.',
      turns: [asks('read_list', {}), 'I have no address of Ann, so no mail went out.'],
      tools: { read_list: {}, send_mail: { effect: 'write' } },
    },
  ],
];

export const healthy: readonly Recording[] = sound.map(([name, plan]) => ({ name, record: () => recordingOf(plan) }));
