/**
 * `contractFolder()`: tools from the files of a folder, followed while they change.
 *
 *   something changed ──► wait until it is quiet ──► look at all files ──► offer what holds
 *                                                        │
 *                     a file is gone or broken ──────────┴──► looked at again before it counts (K2)
 *
 * K1 A file that is broken keeps the contract that it last held, and is reported with its line. It comes into its own when it is whole again.
 * K2 What takes something away (a file that is gone or broken) counts when a second look finds the same: editors write in steps, and save by renaming.
 * K3 All that changed between two looks is offered at once: two files that belong together come together, when they are written together.
 * K4 A file whose text is the same keeps its contract, the same object.
 */
import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import type { Contract } from '../contract/contract.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../http-client/http-client.ts';
import type { CancelTimer, Timers } from '../util/clock.ts';
import { systemTimers } from '../util/system-clock.ts';
import { type FileProblem, readContractFile } from './contract-file.ts';

export interface ContractFolderOptions {
  /** How requests are made: what may be dialled, where secrets are, limits. @defaultValue public addresses, secrets from the environment */
  readonly http?: HttpClientOptions;
  /** Hears what is wrong with a file while the folder is followed, once for each text. @defaultValue a warning of the process */
  readonly onProblem?: (problem: FileProblem) => void;
  /** Milliseconds without a change before files are read. @defaultValue 100 */
  readonly settleMs?: number;
  /** Milliseconds between looks, for folders of which the system tells nothing; 0 for none. @defaultValue 2,000 */
  readonly pollMs?: number;
  readonly timers?: Timers;
}

/** The tools of a folder. */
export interface ContractFolder {
  readonly name: string;
  /** What is wrong with files now. */
  readonly problems: readonly FileProblem[];
  /** @throws AxleError `contract-file-invalid` when a file is broken from the start; `configuration-invalid` when the folder cannot be read */
  connect(changed?: (contracts: readonly Contract[]) => void): Promise<readonly Contract[]>;
  close(): Promise<void>;
}

/** Files of one folder, and bytes of one file. */
const maxFiles = 1_000;
const maxFileBytes = 262_144;

/** Declares a folder of contract files: every `*.json` in it, not in folders below. Relative paths are from the working directory. */
export function contractFolder(path: string, options: ContractFolderOptions = {}): ContractFolder {
  return new Folder(path, options);
}

/** What a file held when it was last looked at. */
interface Seen {
  readonly text: string;
  /** The last contract that it held whole. */
  readonly contract: Contract | undefined;
  readonly problem: FileProblem | undefined;
}

class Folder implements ContractFolder {
  readonly name: string;
  readonly #path: string;
  readonly #options: ContractFolderOptions;
  readonly #timers: Timers;
  readonly #client: HttpClient;
  #files = new Map<string, Seen>();
  /** Files that were gone or broken at the last look, with what was found. */
  #suspect = new Map<string, string>();
  #refused: FileProblem | undefined;
  #changed: (contracts: readonly Contract[]) => void = () => undefined;
  #watcher: FSWatcher | undefined;
  #cancelLook: CancelTimer = () => undefined;
  #cancelPoll: CancelTimer = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #isOpen = false;

  constructor(path: string, options: ContractFolderOptions) {
    this.name = `folder ${path}`;
    this.#path = resolve(path);
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#client = createHttpClient(options.http ?? {});
  }

  get problems(): readonly FileProblem[] {
    const own = [...this.#files.values()].flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    return this.#refused === undefined ? own : [...own, this.#refused];
  }

  async connect(changed?: (contracts: readonly Contract[]) => void): Promise<readonly Contract[]> {
    this.#files = new Map();
    for (const [file, text] of await this.#read()) this.#files.set(file, this.#seen(file, text));
    const [first] = this.problems;
    if (first !== undefined) {
      const more = this.problems.length === 1 ? '' : ` (and ${this.problems.length - 1} more)`;
      throw new AxleError('contract-file-invalid', `${placeOf(this.#path, first)} ${first.message}${more}`, {
        details: { problems: this.problems.map(({ file, line, message }) => ({ file, line: line ?? null, message })) },
      });
    }
    const contracts = this.#contracts();
    if (changed !== undefined) this.#follow(changed);
    return contracts;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#cancelLook();
    this.#cancelPoll();
    await this.#looking;
  }

  #follow(changed: (contracts: readonly Contract[]) => void): void {
    this.#changed = changed;
    this.#isOpen = true;
    // Where the system tells of nothing, or stops doing so, the poll finds it.
    try {
      this.#watcher = watch(this.#path, () => this.#lookSoon());
      this.#watcher.on('error', () => this.#watcher?.close());
      this.#watcher.unref();
    } catch (error) {
      this.#report({ file: '.', code: 'contract-file-invalid', message: `It cannot be watched: ${messageOf(error)}` });
    }
    this.#poll();
  }

  #poll(): void {
    const { pollMs = 2_000 } = this.#options;
    if (pollMs === 0 || !this.#isOpen) return;
    this.#cancelPoll = this.#timers.after(pollMs, () => {
      this.#lookSoon();
      this.#poll();
    });
  }

  #lookSoon(): void {
    if (!this.#isOpen) return;
    this.#cancelLook();
    this.#cancelLook = this.#timers.after(this.#options.settleMs ?? 100, () => {
      this.#looking = this.#looking.then(async () => this.#look());
    });
  }

  async #look(): Promise<void> {
    if (!this.#isOpen) return;
    try {
      this.#take(await this.#read());
    } catch (error) {
      // The folder itself is gone for a moment, or for good: its contracts stay.
      this.#refuse({ file: '.', code: 'contract-file-invalid', message: `It cannot be read: ${messageOf(error)}` });
    }
  }

  #take(texts: ReadonlyMap<string, string>): void {
    const suspect = new Map<string, string>();
    const before = this.#contracts();
    const gone = Array.from(this.#files.keys()).filter((file) => !texts.has(file));
    for (const file of gone) {
      suspect.set(file, 'gone');
      if (this.#suspect.get(file) === 'gone') this.#files.delete(file);
    }
    for (const [file, text] of texts) {
      const known = this.#files.get(file);
      if (known?.text === text) continue;
      const seen = this.#seen(file, text, known?.contract);
      if (seen.problem !== undefined && this.#suspect.get(file) !== text) {
        suspect.set(file, text);
        continue;
      }
      this.#files.set(file, seen);
      if (seen.problem !== undefined) this.#report(seen.problem);
    }
    this.#suspect = suspect;
    if (suspect.size > 0) this.#lookSoon();
    const contracts = this.#contracts();
    const isSame =
      contracts.length === before.length && contracts.every((contract, index) => contract === before[index]);
    if (!isSame || this.#refused !== undefined) this.#offer(contracts);
  }

  #offer(contracts: readonly Contract[]): void {
    try {
      this.#changed(contracts);
      this.#refused = undefined;
    } catch (error) {
      if (!isAxleError(error)) throw error;
      this.#refuse({ file: '.', code: error.code, message: error.message });
    }
  }

  /** What the folder as a whole cannot be is said once. */
  #refuse(problem: FileProblem): void {
    if (this.#refused?.message !== problem.message) this.#report(problem);
    this.#refused = problem;
  }

  #seen(file: string, text: string, last?: Contract): Seen {
    const read =
      Buffer.byteLength(text) > maxFileBytes
        ? ({
            kind: 'problem',
            problem: { file, code: 'limit-exceeded', message: `It is larger than ${maxFileBytes} bytes.` },
          } as const)
        : readContractFile(file, text, this.#client);
    return read.kind === 'contract'
      ? { text, contract: read.contract, problem: undefined }
      : { text, contract: last, problem: read.problem };
  }

  #contracts(): readonly Contract[] {
    return [...this.#files]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([, { contract }]) => (contract === undefined ? [] : [contract]));
  }

  async #read(): Promise<ReadonlyMap<string, string>> {
    const names = (await this.#list()).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
    if (names.length > maxFiles) {
      throw new AxleError('limit-exceeded', `${this.#path} has ${names.length} contract files; ${maxFiles} are read.`);
    }
    const texts = new Map<string, string>();
    for (const name of names.toSorted()) {
      const text = await textOf(join(this.#path, name));
      if (text !== undefined) texts.set(name, text);
    }
    return texts;
  }

  async #list(): Promise<readonly string[]> {
    try {
      return await readdir(this.#path);
    } catch (cause) {
      throw new AxleError('configuration-invalid', `The folder ${this.#path} cannot be read: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  #report(problem: FileProblem): void {
    const { onProblem } = this.#options;
    if (onProblem !== undefined) onProblem(problem);
    else {
      process.emitWarning(`${placeOf(this.#path, problem)} ${problem.message} What it held before stays.`, {
        type: 'AxleContractFileWarning',
        code: problem.code,
      });
    }
  }
}

/** A file that is gone by now, or is none, is not there. What is too large is read as far as its size shows. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    return size > maxFileBytes ? ' '.repeat(maxFileBytes + 1) : await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

function placeOf(folder: string, { file, line }: FileProblem): string {
  return `${join(folder, file)}${line === undefined ? '' : `:${line}`}:`;
}
