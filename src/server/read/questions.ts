/** What people are asked: open approvals and doubts with what is needed to answer them, each in a version that an answer names. */
import { argsHashOf } from '../../call/args-hash.ts';
import { identityOf } from '../../call/chain.ts';
import type { Axle } from '../../facade/axle.ts';
import type { Entry } from '../../journal/entry.ts';
import { readPages } from '../../journal/read-appends.ts';
import type { RunSummary, Store } from '../../journal/store.ts';
import { idempotencyKeyOf } from '../../run/idempotency-key.ts';
import { loadRun } from '../../run/load-run.ts';
import { findCall, type RunState } from '../../run/state.ts';
import { defined } from '../../util/defined.ts';
import { sha256 } from '../../util/hash.ts';
import { BoundedMap } from '../../util/bounded-map.ts';
import type { RunRows } from './run-rows.ts';
import type { ApprovalItem, AuthorizationItem, DoubtItem } from '../wire.ts';

/** When a question was asked, and why. */
interface Asking {
  readonly atMs?: number;
  readonly reason?: string;
}

const maxKept = 5_000;
const maxStatedChars = 2_000;

export class Questions {
  readonly #axle: Axle;
  readonly #rows: RunRows;
  readonly #asked = new BoundedMap<string, Asking>(maxKept);

  constructor(axle: Axle, rows: RunRows) {
    this.#axle = axle;
    this.#rows = rows;
  }

  /** Open approvals, of one run or of all. @throws AxleError `run-unknown` */
  async approvals(runId?: string): Promise<readonly ApprovalItem[]> {
    const items: ApprovalItem[] = [];
    const runs = new RunsRead(this.#axle.store);
    for (const { approvalId, runId: asking, callId } of await this.#axle.approvals.list(runId)) {
      const run = await runs.get(asking);
      const item = run === undefined ? undefined : await this.#approvalItem(run, callId);
      // It may have been answered between the two looks.
      if (item?.approvalId === approvalId) items.push(item);
    }
    return items;
  }

  /** Logins and permissions that calls wait for, in one run or in all. @throws AxleError `run-unknown` */
  async authorizations(runId?: string): Promise<readonly AuthorizationItem[]> {
    const items: AuthorizationItem[] = [];
    for (const open of await this.#axle.authorizations.list(runId)) {
      const summary = await this.#axle.store.run(open.runId);
      if (summary === undefined) continue;
      const { authorizationId, upstream, url = '' } = open;
      items.push({
        ...open,
        etag: etagOf([authorizationId, upstream, url]),
        subject: summary.subject,
        ...defined({ goal: await this.#rows.goalOf(summary) }),
      });
    }
    return items;
  }

  /** Calls in doubt that need a person, of one run or of all. @throws AxleError `run-unknown` */
  async doubts(runId?: string): Promise<readonly DoubtItem[]> {
    const items: DoubtItem[] = [];
    const runs = new RunsRead(this.#axle.store);
    for (const { runId: asking, callId } of await this.#axle.calls.inDoubt(runId)) {
      const run = await runs.get(asking);
      const item = run === undefined ? undefined : await this.#doubtItem(run, callId);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  async #approvalItem({ summary, state }: RunRead, callId: string): Promise<ApprovalItem | undefined> {
    const { call, phase } = findCall(state, callId) ?? {};
    if (call === undefined || phase?.kind !== 'asking') return undefined;
    const { approvalId, expiresAtMs } = phase;
    const { tool, toolVersion, input, terms } = call;
    const asked = await this.#asking(summary.runId, approvalId, (entry) =>
      entry.type === 'call-decided' && entry.approval?.approvalId === approvalId
        ? defined({ reason: 'reason' in entry.decision ? entry.decision.reason : undefined })
        : undefined,
    );
    return {
      approvalId,
      etag: etagOf([approvalId, call.argsHash ?? argsHashOf(call)]),
      runId: summary.runId,
      callId,
      subject: summary.subject,
      ...defined({ goal: await this.#rows.goalOf(summary) }),
      tool,
      toolVersion,
      effect: terms.effect,
      risk: terms.risk,
      isIrreversible: terms.irreversible,
      input,
      ...defined({ inputSchema: this.#axle.tools.get(tool, toolVersion)?.input.json }),
      reason: asked.reason ?? '',
      ...defined({ statedReason: statedBeside(state), askedAtMs: asked.atMs }),
      expiresAtMs,
    };
  }

  async #doubtItem({ summary, state }: RunRead, callId: string): Promise<DoubtItem | undefined> {
    const { call, phase } = findCall(state, callId) ?? {};
    if (call === undefined || phase?.kind !== 'doubtful') return undefined;
    const { attempt, reason } = phase;
    const { tool, toolVersion, input, terms } = call;
    const id = `${summary.runId}/${callId}`;
    const { atMs } = await this.#asking(summary.runId, `${id}#${attempt}`, (entry) =>
      entry.type === 'call-doubted' && entry.callId === callId && entry.attempt === attempt ? {} : undefined,
    );
    return {
      id,
      etag: etagOf([id, attempt, call.argsHash ?? argsHashOf(call)]),
      runId: summary.runId,
      callId,
      subject: summary.subject,
      ...defined({ goal: await this.#rows.goalOf(summary) }),
      tool,
      toolVersion,
      effect: terms.effect,
      input,
      reason,
      attempt,
      idempotencyKey: idempotencyKeyOf(summary.runId, identityOf(call)),
      ...defined({ doubtedAtMs: atMs, outputSchema: this.#axle.tools.get(tool, toolVersion)?.output?.json }),
    };
  }

  /** Looks for the entry that asked; what was found once is kept. */
  async #asking(runId: string, key: string, find: (entry: Entry) => Asking | undefined): Promise<Asking> {
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    for await (const page of readPages(this.#axle.store, runId)) {
      for (const { entries, atMs } of page) {
        for (const entry of entries) {
          const found = find(entry);
          if (found === undefined) continue;
          const asking = { ...found, atMs };
          this.#asked.set(key, asking);
          return asking;
        }
      }
    }
    return {};
  }
}

interface RunRead {
  readonly summary: RunSummary;
  readonly state: RunState;
}

/** Runs of one listing: each is read once, however many questions it has. */
class RunsRead {
  readonly #store: Store;
  readonly #read = new Map<string, RunRead | undefined>();

  constructor(store: Store) {
    this.#store = store;
  }

  async get(runId: string): Promise<RunRead | undefined> {
    if (this.#read.has(runId)) return this.#read.get(runId);
    const summary = await this.#store.run(runId);
    const loaded = summary === undefined ? undefined : await loadRun(this.#store, runId);
    const run = summary === undefined || loaded === undefined ? undefined : { summary, state: loaded.state };
    this.#read.set(runId, run);
    return run;
  }
}

/** Changes with everything that an answer is bound to. */
function etagOf(parts: readonly (string | number)[]): string {
  return sha256(`axle/question/1 ${JSON.stringify(parts)}`);
}

/** What the model wrote beside its calls. */
function statedBeside({ turn }: RunState): string | undefined {
  const texts = (turn?.parts ?? []).flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const stated = texts.join('\n').trim();
  return stated === '' ? undefined : stated.slice(0, maxStatedChars).toWellFormed();
}
