/** How things stand, as a shape, a word and a colour: never by colour alone. */
import type { RunRow } from '../../../src/server/wire.ts';

/** What a status means to the eye. */
export type Tone = 'good' | 'bad' | 'warn' | 'doubt' | 'busy' | 'calm';

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: React.ReactNode;
}

const circle = <circle cx="7" cy="7" r="5.5" />;

const shapes = {
  check: (
    <>
      {circle}
      <path d="M4.6 7.2l1.7 1.7 3.2-3.6" />
    </>
  ),
  cross: (
    <>
      {circle}
      <path d="M5 5l4 4M9 5l-4 4" />
    </>
  ),
  half: (
    <>
      {circle}
      <path d="M7 1.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" stroke="none" />
    </>
  ),
  clock: (
    <>
      {circle}
      <path d="M7 4v3.2l2 1.3" />
    </>
  ),
  bar: (
    <>
      {circle}
      <path d="M4.3 7h5.4" />
    </>
  ),
  slash: (
    <>
      {circle}
      <path d="M3.3 10.7l7.4-7.4" />
    </>
  ),
  question: (
    <>
      <path d="M7 .9l6.1 6.1L7 13.1.9 7z" />
      <path d="M5.6 5.7c0-.9.6-1.4 1.4-1.4s1.4.5 1.4 1.2c0 1-1.4 1.1-1.4 2.1M7 9.5v.2" />
    </>
  ),
  dashed: <circle cx="7" cy="7" r="5.5" strokeDasharray="2.2 2" />,
  square: <rect x="2.5" y="2.5" width="9" height="9" rx="1.5" />,
  lock: (
    <>
      <rect x="2.5" y="6" width="9" height="6" rx="1.2" />
      <path d="M4.5 6V4.3a2.5 2.5 0 0 1 5 0V6" />
    </>
  ),
} as const;

const looks: Readonly<Record<string, Look>> = {
  ok: { word: 'ok', tone: 'good', shape: shapes.check },
  completed: { word: 'completed', tone: 'good', shape: shapes.check },
  open: { word: 'running', tone: 'busy', shape: shapes.half },
  running: { word: 'running', tone: 'busy', shape: shapes.half },
  waiting: { word: 'waiting', tone: 'warn', shape: shapes.clock },
  approval: { word: 'needs approval', tone: 'warn', shape: shapes.clock },
  authorization: { word: 'needs login', tone: 'warn', shape: shapes.lock },
  message: { word: 'awaits message', tone: 'calm', shape: shapes.clock },
  timer: { word: 'waits', tone: 'calm', shape: shapes.clock },
  held: { word: 'held', tone: 'warn', shape: shapes.lock },
  failed: { word: 'failed', tone: 'bad', shape: shapes.cross },
  denied: { word: 'denied', tone: 'warn', shape: shapes.bar },
  refused: { word: 'refused', tone: 'bad', shape: shapes.bar },
  stopped: { word: 'stopped', tone: 'warn', shape: shapes.square },
  cancelled: { word: 'cancelled', tone: 'calm', shape: shapes.slash },
  lost: { word: 'lost', tone: 'warn', shape: shapes.dashed },
  'in-doubt': { word: 'in doubt', tone: 'doubt', shape: shapes.question },
  doubt: { word: 'in doubt', tone: 'doubt', shape: shapes.question },
};

/** A word that is not known, of a newer server perhaps, is shown as it is. */
export function lookOf(status: string): Look {
  return (
    (Object.hasOwn(looks, status) ? looks[status] : undefined) ?? { word: status, tone: 'calm', shape: shapes.dashed }
  );
}

export function StatusMark({
  status,
  isBare = false,
}: {
  readonly status: string;
  readonly isBare?: boolean;
}): React.ReactNode {
  const { word, tone, shape } = lookOf(status);
  return (
    <span className={`status tone-${tone}`}>
      <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true" className="shape">
        {shape}
      </svg>
      <span className={isBare ? 'unseen' : 'cut'}>{word}</span>
    </span>
  );
}

/** One word for where a run stands. */
export function runStatus({ state, ending, waitingOn }: Pick<RunRow, 'state' | 'ending' | 'waitingOn'>): string {
  if (state === 'ended') return ending ?? 'completed';
  const kinds = new Set(waitingOn.map((reason) => reason.kind));
  if (kinds.has('doubt')) return 'doubt';
  if (kinds.has('approval')) return 'approval';
  if (kinds.has('authorization')) return 'authorization';
  if (state === 'held' || kinds.has('held')) return 'held';
  if (state === 'active') return 'running';
  return kinds.has('message') ? 'message' : 'timer';
}
