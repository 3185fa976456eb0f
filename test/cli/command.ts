/** Runs the real command line in a folder of its own, with a real store. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'node_modules/.bin/node');
const main = join(root, 'src/cli/main.ts');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command under way. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.ended = new Promise((resolve) => {
      child.once('close', (code) => resolve({ code, stdout: this.#stdout, stderr: this.#stderr }));
    });
  }

  /** What it has printed so far, on both streams. */
  printed(): string {
    return `${this.#stdout}${this.#stderr}`;
  }

  /** Resolves when it has printed a text; the limit only bounds a test that would otherwise hang. */
  async says(text: string): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      if (this.printed().includes(text)) return;
      await sleep(25);
    }
    throw new Error(`It never said ${text}, but: ${this.printed()}`);
  }
}

/** A folder with the configuration of these tests. Gone when the test ends, with what still runs in it. */
export class Folder {
  readonly path: string;
  /** Variables that commands get beside the usual ones. */
  readonly environment: Record<string, string> = {};
  readonly #running = new Set<ChildProcess>();
  /** The program as an installed package links it, on the search path. */
  readonly #program: string;

  constructor(configName = 'axle.config.ts', configText?: string) {
    mkdirSync(join(root, '.scratch'), { recursive: true });
    // Inside the repository, so that the configuration's imports are found.
    this.path = mkdtempSync(join(root, '.scratch/cli-'));
    mkdirSync(join(this.path, 'bin'));
    this.#program = join(this.path, 'bin/axle');
    symlinkSync(main, this.#program);
    const world = fileURLToPath(new URL('world-config.ts', import.meta.url));
    if (configName !== '') {
      this.write(configName, configText ?? `import { worldConfig } from '${world}';\nexport default worldConfig;\n`);
    }
    onTestFinished(async () => {
      for (const child of this.#running) child.kill('SIGKILL');
      for (let tries = 0; tries < 200 && this.#running.size > 0; tries += 1) await sleep(10);
      rmSync(this.path, { recursive: true, force: true });
    });
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** What the tools noted, line by line. */
  ledger(): readonly string[] {
    const path = join(this.path, 'ledger.txt');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }

  start(...words: readonly string[]): Running {
    return this.startIn(this.path, ...words);
  }

  startIn(cwd: string, ...words: readonly string[]): Running {
    const path = [join(this.path, 'bin'), process.env['PATH']].join(delimiter);
    const env = {
      PATH: path,
      HOME: process.env['HOME'],
      LANG: 'C.UTF-8',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...this.environment,
    };
    const child = spawn(node, ['--conditions=axle-source', this.#program, ...words], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    return new Running(child);
  }

  async axle(...words: readonly string[]): Promise<Ended> {
    const running = this.start(...words);
    running.child.stdin?.end();
    return running.ended;
  }

  /** Runs a command with `--json` and reads the one value that it prints. */
  async json(...words: readonly string[]): Promise<{ readonly code: number | null; readonly value: unknown }> {
    const { code, stdout, stderr } = await this.axle(...words, '--json');
    const lines = stdout.trimEnd().split('\n');
    if (lines.length !== 1 || lines[0] === undefined || lines[0] === '') {
      throw new Error(`Not one line of JSON: ${stdout}${stderr}`);
    }
    const value: unknown = JSON.parse(lines[0]);
    return { code, value };
  }
}
