/**
 * The airline desk outside: it answers each call as the recording did, keeps the ledger, and refuses what the recording lacks.
 *
 * D1 A call is recognised by its idempotency key. A new key takes the next call of the recording with the same tool and the same arguments that no other key
 *    has taken; a known key gets the same answer again, and the ledger shows how often.
 * D2 A call that the recording lacks is refused and noted as a fault: the run is then not equal, whatever else it does.
 */
import { canonicalJson, type JsonValue } from '../../../src/util/json.ts';
import type { Ledger, LedgerLine } from './ledger.ts';
import { readTools, type RecordedCall, type RecordedTool, type Recording } from './recording.ts';
import { AirlineTables } from './tables.ts';

/** Who asks, and under which identity. */
export interface Asker {
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

type Performed = Extract<LedgerLine, { kind: 'performed' }>;

export class AirlineDesk {
  readonly recording: Recording;
  readonly tools: ReadonlyMap<string, RecordedTool> = readTools();
  readonly #ledger: Ledger;

  constructor(recording: Recording, ledger: Ledger) {
    this.recording = recording;
    this.#ledger = ledger;
  }

  /** Carries out a call. @throws Error when the recording lacks it (D2). */
  perform(tool: string, input: JsonValue, asker: Asker): string {
    const call = this.#recordedCall(tool, input, asker.idempotencyKey);
    if (call === undefined) {
      const message = `The recording ${this.recording.id} has no (further) call ${tool} ${canonicalJson(input)}.`;
      this.note(message);
      throw new Error(message);
    }
    const { attempt, idempotencyKey: key } = asker;
    this.#ledger.write({
      kind: 'performed',
      key,
      call: `${asker.runId}/${asker.callId}`,
      recordedId: call.id,
      attempt,
    });
    return call.content;
  }

  /** What a call answered, if it was carried out: the truth that settles a doubt. `name` is its key, or `run/call`. */
  answerOf(name: string): string | undefined {
    const line = this.#performed.find(({ key, call }) => key === name || call === name);
    return line === undefined ? undefined : this.#call(line).content;
  }

  /** Notes something that must not have happened. */
  note(message: string): void {
    this.#ledger.write({ kind: 'fault', message });
  }

  get faults(): readonly string[] {
    return this.#ledger.lines.flatMap((line) => (line.kind === 'fault' ? [line.message] : []));
  }

  /** Calls of the recording that were carried out, in the order of their first time. */
  get performedIds(): readonly string[] {
    return [...new Set(this.#performed.map(({ recordedId }) => recordedId))];
  }

  /** Writes that succeeded, in order, each as often as it was carried out. */
  get successfulWrites(): readonly string[] {
    return this.#writes.map(({ id }) => id);
  }

  /** How often a call with an effect was carried out again, refused bookings and hand-overs to people included. */
  get duplicates(): number {
    return this.#repetitions((tool) => tool.effect !== 'read');
  }

  /** How often a call without an effect was carried out again, which is allowed. */
  get repeatedReads(): number {
    return this.#repetitions((tool) => tool.effect === 'read');
  }

  /** The tables, with every successful write applied as often as it was carried out. */
  get tables(): AirlineTables {
    const tables = new AirlineTables(this.recording);
    for (const call of this.#writes) tables.apply(call);
    return tables;
  }

  get #performed(): readonly Performed[] {
    return this.#ledger.lines.filter((line) => line.kind === 'performed');
  }

  get #writes(): readonly RecordedCall[] {
    return this.#performed
      .map((line) => this.#call(line))
      .filter(({ name, content }) => this.#tool(name).effect === 'write' && !content.startsWith('Error'));
  }

  #recordedCall(tool: string, input: JsonValue, key: string): RecordedCall | undefined {
    const performed = this.#performed;
    const known = performed.find((line) => line.key === key);
    const taken = new Set(performed.map(({ recordedId }) => recordedId));
    const wanted = canonicalJson(input);
    return this.recording.calls
      .filter(({ id, name }) => name === tool && (known === undefined ? !taken.has(id) : id === known.recordedId))
      .find((call) => canonicalJson(call.input) === wanted);
  }

  #repetitions(counts: (tool: RecordedTool) => boolean): number {
    const counted = this.#performed.filter((line) => counts(this.#tool(this.#call(line).name)));
    return counted.length - new Set(counted.map(({ recordedId }) => recordedId)).size;
  }

  #call({ recordedId }: Performed): RecordedCall {
    const call = this.recording.calls.find(({ id }) => id === recordedId);
    if (call === undefined) throw new Error(`${this.recording.id} does not have ${recordedId} of the ledger.`);
    return call;
  }

  #tool(name: string): RecordedTool {
    const tool = this.tools.get(name);
    if (tool === undefined) throw new Error(`The desk has no tool ${name}.`);
    return tool;
  }
}
