/** The figures of a bench, in the order in which they are shown, each with its bar. */
import type { Bar, Figure, FigureMaker, FigureOptions, Source } from './figures.ts';
import type { CaseName, Sizes } from './round-plan.ts';

const atMost = (limit: number): Bar => ({ sign: '<=', limit });
const below = (limit: number): Bar => ({ sign: '<', limit });
const atLeast = (limit: number): Bar => ({ sign: '>=', limit });

export function figuresOf(
  make: FigureMaker,
  about: { readonly sizes: Sizes; readonly only: readonly CaseName[] },
): readonly Figure[] {
  const { sizes, only } = about;
  const wanted = (name: CaseName): boolean => only.length === 0 || only.includes(name);
  return [
    make.value({ name: 'disk.sync.p50', unit: 'us' }, { id: 'probe', value: 'p50Us' }),
    ...(wanted('turns') ? turnFigures(make, sizes) : []),
    ...(wanted('young') ? sizes.youngLengths.flatMap((turns) => youngFigures(make, turns)) : []),
    ...(wanted('runs') ? atOnceFigures(make, sizes) : []),
    ...(wanted('disk') ? diskFigures(make) : []),
    ...(wanted('resume') ? resumeFigures(make) : []),
    ...(wanted('seen') ? seenFigures(make, sizes) : []),
    ...(wanted('traced') ? tracedFigures(make, sizes) : []),
    ...(wanted('suspended') ? sizes.suspended.flatMap((runs) => suspendedFigures(make, runs)) : []),
  ];
}

/** One run on tmpfs: the cost of the software. */
function turnFigures(make: FigureMaker, sizes: Sizes): readonly Figure[] {
  const figures = sizes.lengths.flatMap((turns, load) => {
    const cpu = (subject: string): Source => ({ id: `turns/${subject}`, load, value: 'cpuUs' });
    const wall = (subject: string): Source => ({ id: `turns/${subject}`, load, value: 'wallUs' });
    const named = (what: string, unit: string, bar?: Bar): FigureOptions => ({
      name: `turn.${turns}.${what}`,
      unit,
      ...(bar === undefined ? {} : { bar }),
    });
    return [
      make.value(named('cpu', 'us', atMost(130)), cpu('axle')),
      make.value(named('wall', 'us'), wall('axle')),
      make.value(named('floor-cpu', 'us'), cpu('floor')),
      make.value(named('ai-sdk-cpu', 'us'), cpu('ai-sdk')),
      make.ratio(named('cpu-to-floor', 'x', atMost(3)), cpu('axle'), cpu('floor')),
      make.ratio(named('wall-to-floor', 'x', atMost(3)), wall('axle'), wall('floor')),
      make.ratio(named('cpu-to-ai-sdk', 'x', below(1)), cpu('axle'), cpu('ai-sdk')),
      make.ratio(named('wall-to-ai-sdk', 'x', below(1)), wall('axle'), wall('ai-sdk')),
    ];
  });
  const [shorter, longer] = [sizes.lengths.length - 2, sizes.lengths.length - 1];
  const growth = (value: string): readonly Source[] =>
    [shorter, longer].map((load) => ({ id: 'turns/axle', load, value }));
  return [
    ...figures,
    make.combined(
      { name: 'turn.growth.cpu', unit: 'exponent', bar: atMost(1.05) },
      growth('cpuUs'),
      exponent(sizes.lengths[shorter] ?? 1, sizes.lengths[longer] ?? 1),
    ),
    make.combined(
      { name: 'turn.growth.bytes', unit: 'exponent', bar: atMost(1.05), kind: 'sized' },
      growth('bytes'),
      exponent(sizes.lengths[shorter] ?? 1, sizes.lengths[longer] ?? 1),
    ),
    make.value(
      { name: 'turn.bytes', unit: 'bytes', bar: atMost(2_048), kind: 'sized' },
      { id: 'turns/axle', load: shorter, value: 'bytes' },
    ),
    make.value(
      { name: 'turn.floor-bytes', unit: 'bytes', kind: 'sized' },
      { id: 'turns/floor', load: shorter, value: 'bytes' },
    ),
    make.combined(
      { name: 'turn.commits', unit: 'commits', kind: 'counted' },
      perTurn('turns/axle', shorter, 'commits'),
      divided,
    ),
  ];
}

/** The first runs of a new process, compiling included. */
function youngFigures(make: FigureMaker, turns: number): readonly Figure[] {
  const cpu = (subject: string): Source => ({ id: `young-${turns}/${subject}`, value: 'cpuUs' });
  return [
    make.value({ name: `young.${turns}.cpu`, unit: 'us' }, cpu('axle')),
    make.value({ name: `young.${turns}.ai-sdk-cpu`, unit: 'us' }, cpu('ai-sdk')),
    make.ratio({ name: `young.${turns}.cpu-to-ai-sdk`, unit: 'x' }, cpu('axle'), cpu('ai-sdk')),
  ];
}

/** Runs at the same time, sharing commits. */
function atOnceFigures(make: FigureMaker, sizes: Sizes): readonly Figure[] {
  return (['tmpfs', 'disk'] as const).flatMap((place) =>
    sizes.atOnce.flatMap((runs, load) => {
      const wall = (subject: string): Source => ({ id: `runs-${place}/${subject}`, load, value: 'wallUs' });
      const cpu = (subject: string): Source => ({ id: `runs-${place}/${subject}`, load, value: 'cpuUs' });
      const isLargest = runs === 256;
      const name = (what: string): string => `runs.${runs}.${place}.${what}`;
      return [
        make.value({ name: name('turns-a-second'), unit: '1/s' }, wall('axle'), (us) => 1_000_000 / us),
        make.value({ name: name('cpu'), unit: 'us' }, cpu('axle')),
        make.value({ name: name('floor-cpu'), unit: 'us' }, cpu('floor')),
        // The share of the floor's throughput that is left.
        make.ratio(
          { name: name('share-of-floor'), unit: 'x', ...(isLargest && place === 'disk' ? { bar: atLeast(0.4) } : {}) },
          wall('floor'),
          wall('axle'),
        ),
        make.combined(
          { name: name('commits-a-turn'), unit: 'commits', kind: 'counted' },
          perTurn(`runs-${place}/axle`, load, 'commits'),
          divided,
        ),
        make.combined(
          { name: name('syncs-a-run'), unit: 'syncs', kind: 'counted', bar: atMost(2) },
          [
            { id: `runs-${place}/axle`, load, value: 'syncs' },
            { id: `runs-${place}/axle`, load, value: 'runs' },
          ],
          divided,
        ),
        ...(isLargest
          ? [
              make.value(
                { name: name('loop-p99'), unit: 'ms', bar: atMost(5) },
                { id: `runs-${place}/axle`, load, value: 'loopP99Ms' },
              ),
            ]
          : []),
      ];
    }),
  );
}

/** Durability: syncs by effect, and LangGraph.js with its SQLite saver beside it. */
function diskFigures(make: FigureMaker): readonly Figure[] {
  const wall = (id: string): Source => ({ id, value: 'wallUs' });
  const bytes = (id: string): Source => ({ id, value: 'bytes' });
  return [
    make.value({ name: 'disk.read.wall', unit: 'us' }, wall('disk/axle')),
    make.value({ name: 'disk.write.wall', unit: 'us' }, wall('disk/axle-write')),
    make.value({ name: 'disk.floor.wall', unit: 'us' }, wall('disk/floor')),
    make.value({ name: 'disk.lang-graph.wall', unit: 'us' }, wall('disk/lang-graph')),
    make.value({ name: 'disk.lang-graph.bytes', unit: 'bytes', kind: 'sized' }, bytes('disk/lang-graph')),
    make.combined(
      { name: 'disk.read.syncs-a-turn', unit: 'syncs', bar: atMost(0), kind: 'counted' },
      withoutTwo('disk/axle'),
      beyondTwo,
    ),
    make.combined(
      { name: 'disk.strict.syncs-a-turn', unit: 'syncs', bar: atMost(1), kind: 'counted' },
      withoutTwo('disk/axle-strict'),
      beyondTwo,
    ),
    make.combined(
      { name: 'disk.write.syncs-a-turn', unit: 'syncs', bar: atMost(2), kind: 'counted' },
      withoutTwo('disk/axle-write'),
      beyondTwo,
    ),
    make.ratio(
      { name: 'disk.lang-graph.time-to-read', unit: 'x', bar: atLeast(50) },
      wall('disk/lang-graph'),
      wall('disk/axle'),
    ),
    make.ratio(
      { name: 'disk.lang-graph.time-to-write', unit: 'x', bar: atLeast(20) },
      wall('disk/lang-graph'),
      wall('disk/axle-write'),
    ),
    make.ratio(
      { name: 'disk.lang-graph.bytes-to-read', unit: 'x', bar: atLeast(100), kind: 'sized' },
      bytes('disk/lang-graph'),
      bytes('disk/axle'),
    ),
  ];
}

function resumeFigures(make: FigureMaker): readonly Figure[] {
  const of = (value: string): Source => ({ id: 'resume', value });
  return [
    make.value({ name: 'resume.time', unit: 'ms', bar: atMost(20) }, of('tookMs')),
    make.value({ name: 'resume.warm-time', unit: 'ms', bar: atMost(20) }, { id: 'resume', load: 1, value: 'tookMs' }),
    make.value({ name: 'resume.snapshots-read', unit: 'snapshots', bar: atMost(1), kind: 'counted' }, of('snapshots')),
    make.value(
      { name: 'resume.appends-folded', unit: 'appends', bar: atMost(64), kind: 'counted' },
      of('appendsFolded'),
    ),
  ];
}

/** What the model saw: made again whole, from bytes that grow with what is new and not with what is shown again. */
function seenFigures(make: FigureMaker, { seenTurns }: Sizes): readonly Figure[] {
  const of = (value: string): Source => ({ id: 'seen', value });
  return [
    make.ratio(
      { name: `seen.${seenTurns}.made-again`, unit: 'x', bar: atLeast(1), kind: 'counted' },
      of('madeAgain'),
      of('requests'),
    ),
    make.combined(
      { name: `seen.${seenTurns}.growth.bytes`, unit: 'exponent', bar: atMost(1.05), kind: 'counted' },
      [of('once'), of('twice')],
      exponent(seenTurns, 2 * seenTurns),
    ),
    make.ratio(
      { name: `seen.${seenTurns}.shown-to-stored`, unit: 'x', kind: 'sized' },
      of('shownBytes'),
      of('storedBytes'),
    ),
    make.value({ name: `seen.${seenTurns}.view`, unit: 'ms' }, of('viewMs')),
  ];
}

/** What it costs to be traced, sending included, which has a bar; and to be followed by traces and metrics together, which has none. */
function tracedFigures(make: FigureMaker, sizes: Sizes): readonly Figure[] {
  return sizes.tracedLengths.flatMap((turns, load) => {
    const of = (subject: string, value: string): Source => ({ id: `traced/${subject}`, load, value });
    const name = (what: string): string => `traced.${turns}.${what}`;
    return [
      make.value({ name: name('cpu'), unit: 'us' }, of('axle-traced', 'cpuUs')),
      make.ratio(
        { name: name('cpu-to-untraced'), unit: 'x', bar: atMost(1.1) },
        of('axle-traced', 'cpuUs'),
        of('axle', 'cpuUs'),
      ),
      make.value(
        { name: name('dropped'), unit: 'spans', bar: atMost(0), kind: 'counted' },
        of('axle-traced', 'dropped'),
      ),
      make.value({ name: name('with-metrics.cpu'), unit: 'us' }, of('axle-followed', 'cpuUs')),
      make.ratio(
        { name: name('with-metrics.cpu-to-untraced'), unit: 'x' },
        of('axle-followed', 'cpuUs'),
        of('axle', 'cpuUs'),
      ),
      make.value(
        { name: name('with-metrics.dropped'), unit: 'spans', bar: atMost(0), kind: 'counted' },
        of('axle-followed', 'dropped'),
      ),
    ];
  });
}

function suspendedFigures(make: FigureMaker, runs: number): readonly Figure[] {
  const of = (value: string): Source => ({ id: `suspended-${runs}`, value });
  // What a process holds for itself is not told from what it holds for a thousand runs.
  const bar = runs >= 100_000 ? { bar: atMost(512) } : {};
  return [
    make.value({ name: `suspended.${runs}.heap`, unit: 'bytes/run', kind: 'sized', ...bar }, of('heapBytes')),
    make.value({ name: `suspended.${runs}.resident`, unit: 'bytes/run', kind: 'sized', ...bar }, of('rssBytes')),
    make.value({ name: `suspended.${runs}.start`, unit: 'us/run' }, of('startUs')),
  ];
}

function perTurn(id: string, load: number, value: string): readonly Source[] {
  return [
    { id, load, value },
    { id, load, value: 'turns' },
  ];
}

function divided([left = Number.NaN, right = Number.NaN]: readonly number[]): number {
  return left / right;
}

function withoutTwo(id: string): readonly Source[] {
  return ['syncs', 'runs', 'turns'].map((value) => ({ id, value }));
}

/** Syncs a step beside the two of each run, which are for accepting and finishing it. A run has one step more than turns: the answer. */
function beyondTwo([syncs = Number.NaN, runs = 0, turns = 1]: readonly number[]): number {
  return (syncs - 2 * runs) / (turns + runs);
}

/** The exponent with which a total grows between two lengths; 1 is linear. The values are per turn. */
export function exponent(shorter: number, longer: number): (values: readonly number[]) => number {
  return ([atShorter = Number.NaN, atLonger = Number.NaN]) =>
    Math.log((atLonger * longer) / (atShorter * shorter)) / Math.log(longer / shorter);
}
