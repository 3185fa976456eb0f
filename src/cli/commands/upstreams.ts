import { UpstreamBook } from '../../contract/upstream-book.ts';
import { storedUpstreams } from '../../execute/upstreams/in-process.ts';
import type { UpstreamView } from '../../execute/upstreams/upstreams.ts';
import { upstreamActions } from '../../journal/store.ts';
import { durationText } from '../../trace/duration-text.ts';
import { cutToColumns, oneLine, padToColumns } from '../../trace/safe-text.ts';
import { defined } from '../../util/defined.ts';
import { systemClock } from '../../util/system-clock.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { withClientStore } from '../store-place.ts';

export const upstreamsCommand: Command = {
  name: 'upstreams',
  about: 'list the services behind tools and their breakers, or open, close or reset one',
  positionals: [
    { name: 'open|close|reset', isOptional: true },
    { name: 'NAME', isOptional: true },
  ],
  options: {
    reason: { value: 'TEXT', about: 'why; kept with the change' },
    by: { value: 'NAME', about: 'who asks for it' },
  },
  details:
    'open holds calls back until somebody closes it; close lets them go again, and the breaker goes on by itself; reset also forgets what the service asked for. A running driver follows at once.',
  examples: [
    'axle upstreams',
    'axle upstreams open billing --reason "migration" --by ann',
    'axle upstreams close billing --json',
  ],
  run: async (invocation) => {
    const action = invocation.optionalArgument(0);
    return action === undefined ? listAll(invocation) : steer(invocation, action);
  },
};

async function listAll(invocation: Invocation): Promise<ExitName> {
  const { terminal } = invocation;
  for (const option of ['reason', 'by']) {
    if (invocation.text(option) !== undefined) throw invocation.usage(`--${option} needs open, close or reset.`);
  }
  const views = await withControl(invocation, (control) => control.list());
  if (terminal.isJson) {
    terminal.json(views);
    return 'ok';
  }
  if (views.length === 0) terminal.say('No tool has limits or a breaker.');
  for (const view of views) {
    const line = lineOf(view, Date.now());
    terminal.say(terminal.width === undefined ? line : cutToColumns(line, Math.max(60, terminal.width)));
  }
  return 'ok';
}

async function steer(invocation: Invocation, word: string): Promise<ExitName> {
  const { terminal } = invocation;
  const action = upstreamActions.find((each) => each === word);
  if (action === undefined) {
    throw invocation.usage(`axle upstreams knows ${upstreamActions.join(', ')}, and not ${word}.`);
  }
  const name = invocation.optionalArgument(1);
  if (name === undefined) throw invocation.usage(`axle upstreams ${action} needs NAME.`);
  const said = defined({ by: invocation.text('by'), reason: invocation.text('reason') });
  const view = await withControl(invocation, (control) => control.order({ name, action, ...said }));
  if (terminal.isJson) terminal.json(view);
  else terminal.say(lineOf(view, Date.now()));
  return 'ok';
}

async function withControl<T>(
  { place }: Invocation,
  use: (control: ReturnType<typeof storedUpstreams>) => Promise<T>,
): Promise<T> {
  const { readUpstreams } = await import('../../facade/read-options.ts');
  const config = await place.knownConfig();
  const contracts = (config?.tools ?? []).filter((item) => 'execute' in item);
  const book = config === undefined ? new UpstreamBook([]) : new UpstreamBook(contracts, readUpstreams(config));
  const declared = { names: () => book.names, settings: book.settings.bind(book) };
  return withClientStore(place, (store) => use(storedUpstreams({ declared, store, clock: systemClock })));
}

function lineOf({ name, breaker, pausedUntilMs }: UpstreamView, nowMs: number): string {
  const { kind, sinceMs, untilMs, reason } = breaker;
  const since = `for ${durationText(Math.max(0, nowMs - sinceMs))}`;
  const until = untilMs === undefined || untilMs <= nowMs ? '' : `, may be tried in ${durationText(untilMs - nowMs)}`;
  const pause =
    pausedUntilMs === undefined ? '' : `; asked to be left alone for ${durationText(pausedUntilMs - nowMs)}`;
  const why = kind === 'closed' && sinceMs >= nowMs ? '' : `${since}${until}: ${reason}`;
  return `${padToColumns(oneLine(name), 24)}  ${padToColumns(kind, 9)}  ${oneLine(why)}${pause}`.trimEnd();
}
