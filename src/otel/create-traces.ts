/**
 * Sends the spans of runs to a collector, over OTLP/HTTP in JSON, while they happen.
 *
 * N1 Runs never wait for it, and what it holds is bounded: when the collector does not keep up, the oldest spans go and are counted. They can be exported later.
 * N2 A span is sent by the process in which it ended. Whoever takes a run up sends what was open, and once more what had ended shortly before: its last driver may have
 *    been killed before it sent that. The ids are the same and so is everything in them, and one trace comes of it.
 */
import { FollowedRuns, type Follower } from '../live/follow-runs.ts';
import { Later } from '../live/later.ts';
import { type Append, lastSeqOf } from '../journal/entry.ts';
import type { Store } from '../journal/store.ts';
import type { Watcher } from '../run/engine.ts';
import { BoundedMap } from '../util/bounded-map.ts';
import { EarlierSpans } from './earlier-spans.ts';
import { instanceId } from './instance-id.ts';
import type { OnDropped } from './losses.ts';
import type { OtelResource } from './otlp-json.ts';
import { RunSpans } from './run-spans.ts';
import { SpanSender } from './span-sender.ts';

export interface TracesOptions extends OtelResource {
  /** Where the collector takes traces. @defaultValue `http://127.0.0.1:4318/v1/traces` */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between two requests, 10 to 600,000. @defaultValue 1,000 */
  readonly sendEveryMs?: number;
  /** Told when spans could not be sent, with how many. @defaultValue nobody */
  readonly onDropped?: OnDropped;
}

export interface AxleTraces {
  /** For `observers` of `createAxle`. */
  observe(observed: { readonly store: Store }): Watcher;
  /** Spans that a collector took. */
  readonly sent: number;
  /** Spans that were given up. */
  readonly dropped: number;
  /** Resolves when what has ended so far is sent or given up. */
  flush(): Promise<void>;
  /** The same within 5 s, and nothing is sent by itself afterwards. */
  close(): Promise<void>;
}

/** How long before its last entry a lost driver may have had spans in hand: an interval, and a request that is tried three times. */
const unsentMs = 60_000;
/** Runs of which it is known how far this process has sent them; of more the latest are. */
const maxKnownRuns = 10_000;

/** The last entry of a run that this process was told of. */
interface Reached {
  seq: number;
}

type KnownRuns = BoundedMap<string, Reached>;

interface Followed {
  readonly spans: RunSpans;
  readonly reached: Reached;
  /** Spans that ended in the history of the run, until the first append that is not history. */
  readonly earlier: EarlierSpans;
  historySeq: number;
  historyMs: number;
}

/**
 * @throws AxleError `configuration-invalid`
 * @example
 * ```ts
 * const traces = createTraces({ url: 'http://127.0.0.1:4318/v1/traces', serviceName: 'shop' });
 * await using axle = await createAxle({ store: 'axle.db', observers: [traces] });
 * ```
 */
export function createTraces(options: TracesOptions = {}): AxleTraces {
  const { url = 'http://127.0.0.1:4318/v1/traces', attributes } = options;
  /** Those that hold something back. */
  const waiting = new Set<Later>();
  const sender = new SpanSender({ ...options, url, attributes: { ...instanceId(), ...attributes } }, async () => {
    const told = [...waiting];
    waiting.clear();
    await Promise.all(told.map((watcher) => watcher.tellAll()));
  });
  const known = new BoundedMap<string, Reached>(maxKnownRuns);
  return {
    observe: ({ store }) => {
      const watcher: Later = new Later(new FollowedRuns<Followed>(store, followerOf(sender, known)), () => {
        waiting.add(watcher);
        sender.expect();
      });
      return watcher;
    },
    get sent() {
      return sender.sent;
    },
    get dropped() {
      return sender.dropped;
    },
    flush: () => sender.flush(),
    close: () => sender.close(),
  };
}

function followerOf(sender: SpanSender, known: KnownRuns): Follower<Followed> {
  return {
    begin: (runId) => {
      const reached = known.get(runId) ?? { seq: 0 };
      known.set(runId, reached);
      return { spans: new RunSpans(runId), reached, earlier: new EarlierSpans(), historySeq: 0, historyMs: 0 };
    },
    take: (followed, append, nowMs) => {
      if (nowMs === undefined) {
        rememberEarlier(followed, append);
        return;
      }
      sendAgain(followed, sender);
      followed.spans.take(append, sender);
      followed.reached.seq = lastSeqOf(append);
    },
  };
}

function rememberEarlier(followed: Followed, append: Append): void {
  followed.spans.take(append, followed.earlier);
  followed.historySeq = lastSeqOf(append);
  followed.historyMs = append.atMs;
}

/** What the last driver may not have sent: nothing when that was this process. */
function sendAgain({ reached, earlier, historySeq, historyMs }: Followed, sender: SpanSender): void {
  if (earlier.isEmpty) return;
  const texts = earlier.take(historyMs - unsentMs);
  if (reached.seq >= historySeq) return;
  for (const text of texts) sender.add(text);
}
