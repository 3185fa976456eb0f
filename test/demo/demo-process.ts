/** The demo as a process of its own, in a pipe or at a terminal. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../demo/main.ts', import.meta.url));

export interface Demo {
  /** What it has written to standard error; at a terminal, all that it has written. */
  readonly story: () => string;
  readonly type: (text: string) => void;
  readonly interrupt: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly story: string }>;
}

export function startDemo(...words: readonly string[]): Demo {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['pipe', 'pipe', 'pipe'], env: environment() });
  return watched(child, child.stderr);
}

/** At a terminal, with variables of its own: `script` lends it one. Some shells stay between, and end with 130 at a Ctrl-C; so `exec`. */
export function startDemoAtTerminal(words: readonly string[], variables: Readonly<Record<string, string>>): Demo {
  const command = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', `exec ${command}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment(), SHELL: '/bin/sh', ...variables },
  });
  return watched(child, child.stdout);
}

function watched(child: ChildProcess, tells: NodeJS.ReadableStream | null): Demo {
  let out = '';
  let story = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8');
  tells?.on('data', (text: string) => (story += text));
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    story: () => story,
    type: (text) => void child.stdin?.write(text),
    interrupt: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, out, story })),
  };
}

/** A key in the environment would hand the job to a real model; a desktop would get a browser. */
function environment(): NodeJS.ProcessEnv {
  const {
    AXLE_MODEL: _,
    OPENAI_API_KEY: __,
    ANTHROPIC_API_KEY: ___,
    DISPLAY: ____,
    WAYLAND_DISPLAY: _____,
    SSH_CONNECTION: ______,
    ...inherited
  } = process.env;
  return inherited;
}

/** Processes that carry the folder on their command line: whatever a demo there has started. */
export function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [pid, commandOf(pid)] as const)
    .filter(([pid, command]) => Number(pid) !== process.pid && command.includes(folder))
    .map(([pid, command]) => `${pid} ${command}`);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
