/**
 * Reads a run file (`run-file.ts`) and believes none of it: every body has the hash that it is named by, every entry is checked, the fold takes all of them, and the
 * checksum at the end is that of what stands before it. (X2)
 */
import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { AxleError, isAxleError } from '../error/axle-error.ts';
import { decodeEntries } from '../journal/codec.ts';
import { type Append, lastSeqOf, subjectOf } from '../journal/entry.ts';
import { maxEntriesPerAppend } from '../journal/limits.ts';
import type { RunCopy } from '../journal/store.ts';
import { evolveAppend } from '../run/evolve.ts';
import { newState, type RunState } from '../run/state.ts';
import { defined } from '../util/defined.ts';
import { sha256 } from '../util/hash.ts';
import { isRecord, maxDepth } from '../util/json.ts';
import { isDeeperThan } from '../util/json-depth.ts';
import { runFileVersion } from './run-file.ts';

/** Bytes of a run file that is read. */
const maxRunFileBytes = 200 * 1024 * 1024;

/** Levels of a line: those of a value, and of the entry around it. */
const maxLineDepth = 2 * maxDepth;

/** What can be the id of a run: it stands in addresses, in names of files and on terminals. */
const runIdForm = /^[A-Za-z0-9_][\w.:-]{0,199}$/;

/** The last millisecond that a date can name. */
const lastTimeMs = 8.64e15;

/** What a run file holds. */
export interface ReadRun {
  readonly copy: RunCopy;
  readonly declarations: readonly { readonly hash: string; readonly text: string }[];
  readonly sha256: string;
}

/** A file, a response or a text, piece by piece. */
export type RunFileSource = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * @throws AxleError `run-file-invalid` with the line, `run-file-too-new`, `entry-too-new`, `limit-exceeded` for more than 200 MiB
 */
export async function readRunFile(source: RunFileSource): Promise<ReadRun> {
  const file = new RunFile();
  for await (const line of linesOf(source)) file.take(line);
  return file.whole();
}

type Line = Readonly<Record<string, unknown>>;

class RunFile {
  #lines = 0;
  #format = 0;
  #runId = '';
  #entries = 0;
  #state: RunState | undefined;
  #sha256: string | undefined;
  readonly #hash = createHash('sha256');
  readonly #bodies = new Map<string, string>();
  readonly #appends: Append[] = [];
  readonly #declarations: { hash: string; text: string }[] = [];

  take(text: string): void {
    this.#lines += 1;
    const line = this.#parse(text);
    if (this.#lines === 1) this.#takeHead(line);
    else if (this.#sha256 !== undefined) throw this.#invalid('stands behind the end of the file');
    else this.#takeLine(line);
    if (line['kind'] !== 'end') this.#hash.update(`${text}\n`);
  }

  whole(): ReadRun {
    if (this.#sha256 === undefined) {
      throw new AxleError('run-file-invalid', `The file breaks off behind line ${this.#lines}: its end is missing.`);
    }
    const [first] = this.#appends;
    const accepted = first?.entries[0];
    const state = this.#state;
    if (accepted?.type !== 'run-accepted' || accepted.runId !== this.#runId || state === undefined) {
      throw new AxleError('run-file-invalid', `The file does not begin with the acceptance of run ${this.#runId}.`);
    }
    const copy: RunCopy = {
      runId: accepted.runId,
      kind: accepted.task.kind,
      subject: subjectOf(accepted.task),
      ...defined({ session: accepted.session, ending: state.ending?.kind }),
      epoch: state.epoch,
      steps: state.step,
      appends: this.#appends,
    };
    return { copy, declarations: this.#declarations, sha256: this.#sha256 };
  }

  #parse(text: string): Line {
    if (isDeeperThan(text, maxLineDepth)) throw this.#invalid(`is nested deeper than ${maxLineDepth} levels`);
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch (cause) {
      throw this.#invalid('is not JSON', cause);
    }
    if (!isRecord(line)) throw this.#invalid('is not an object');
    return line;
  }

  #takeHead({ kind, version, format, runId }: Line): void {
    if (kind !== 'run-file' || !isCount(version) || !isCount(format) || typeof runId !== 'string') {
      throw this.#invalid('is not the head of a run file, {"kind":"run-file","version":1,...}');
    }
    if (version > runFileVersion) {
      throw new AxleError(
        'run-file-too-new',
        `The file has version ${version} of the form; this release reads ${runFileVersion}.`,
      );
    }
    if (!runIdForm.test(runId)) {
      throw this.#invalid(`names a run ${JSON.stringify(runId.slice(0, 80))}, which is no id`);
    }
    this.#format = format;
    this.#runId = runId;
  }

  #takeLine(line: Line): void {
    switch (line['kind']) {
      case 'body':
        this.#takeBody(line);
        break;
      case 'append':
        this.#takeAppend(line);
        break;
      case 'declaration':
        this.#takeDeclaration(line);
        break;
      case 'end':
        this.#takeEnd(line);
        break;
      default:
        throw this.#invalid(`has the kind ${JSON.stringify(line['kind'])}, which is not known`);
    }
  }

  #takeBody({ hash, value }: Line): void {
    const text = JSON.stringify(value);
    if (typeof hash !== 'string' || value === undefined || sha256(text) !== hash) {
      throw this.#invalid('holds a value of another content than its hash says');
    }
    this.#bodies.set(hash, text);
  }

  #takeAppend({ firstSeq, epoch, atMs, entries }: Line): void {
    if (!isCount(firstSeq) || !isCount(epoch) || !isTime(atMs) || !Array.isArray(entries)) {
      throw this.#invalid('is not an append');
    }
    if (entries.length === 0 || entries.length > maxEntriesPerAppend) {
      throw this.#invalid(`holds ${entries.length} entries; 1 to ${maxEntriesPerAppend} are possible`);
    }
    const before = this.#appends.at(-1);
    if (before !== undefined && (atMs < before.atMs || firstSeq !== lastSeqOf(before) + 1)) {
      throw this.#invalid('does not go on where the append before it ends');
    }
    try {
      const lookup = (hash: string): string | undefined => this.#bodies.get(hash);
      const decoded = decodeEntries(JSON.stringify(entries), this.#format, { lookup });
      const append: Append = { firstSeq, epoch, atMs, entries: decoded };
      this.#state = evolveAppend(this.#state ?? newState(this.#runId), append);
      this.#appends.push(append);
      this.#entries += decoded.length;
    } catch (cause) {
      if (isAxleError(cause, 'entry-too-new')) throw cause;
      throw this.#invalid(
        `holds entries that no run writes here (${cause instanceof Error ? cause.message : 'unknown'})`,
        cause,
      );
    }
  }

  #takeDeclaration({ hash, text }: Line): void {
    if (typeof hash !== 'string' || typeof text !== 'string' || sha256(text) !== hash) {
      throw this.#invalid('holds a declaration of another content than its hash says');
    }
    this.#declarations.push({ hash, text });
  }

  #takeEnd({ entries, sha256: said }: Line): void {
    const found = this.#hash.digest('hex');
    if (said !== found || entries !== this.#entries) {
      throw this.#invalid('has another checksum than what stands before it: the file was changed, or lacks lines');
    }
    this.#sha256 = found;
  }

  #invalid(what: string, cause?: unknown): AxleError {
    return new AxleError('run-file-invalid', `Line ${this.#lines} ${what}.`, defined({ cause }));
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= lastTimeMs;
}

/** @throws AxleError `limit-exceeded`, `run-file-invalid` for what is not UTF-8 */
async function* linesOf(source: RunFileSource): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let sizeBytes = 0;
  // The beginning of a line, in pieces: joined once, however many they are.
  let begun: string[] = [];
  for await (const piece of source) {
    sizeBytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;
    if (sizeBytes > maxRunFileBytes) {
      throw new AxleError('limit-exceeded', `A run file that is read has at most ${maxRunFileBytes} bytes.`);
    }
    const [first = '', ...rest] = textOf(piece, decoder).split('\n');
    begun.push(first);
    for (const next of rest) {
      yield begun.join('');
      begun = [next];
    }
  }
  const last = begun.join('');
  if (last !== '') yield last;
}

function textOf(piece: string | Uint8Array, decoder: TextDecoder): string {
  if (typeof piece === 'string') return piece;
  try {
    return decoder.decode(piece, { stream: true });
  } catch (cause) {
    throw new AxleError('run-file-invalid', 'The file is not text in UTF-8.', { cause });
  }
}
