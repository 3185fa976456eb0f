/** Starts the services of the demo as the processes that they are, and gives what the tools of the demo need to be called. */
import { noAliases } from '../../src/execute/aliases/no-aliases.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { ToolContext } from '../../src/contract/contract.ts';

/** A folder of the test's own, removed when it ends. */
export function testFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'axle-demo-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Service {
  /** The line that the service wrote when it was ready. */
  readonly ready: { readonly url: string; readonly port: number; readonly smtpPort?: number };
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

export async function startService(name: string, ...args: readonly string[]): Promise<Service> {
  const program = fileURLToPath(new URL(`../../demo/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    // Letting go of its input is how a parent ends a service, by closing it or by dying.
    child.stdin.end();
    await exited;
  };
  onTestFinished(stop);
  const { promise: line, resolve } = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).once('line', resolve);
  return { ready: JSON.parse(await line) as Service['ready'], process: child, stop };
}

export function contextOf(idempotencyKey: string, signal: AbortSignal = new AbortController().signal): ToolContext {
  return {
    runId: 'run-1',
    callId: '1.0',
    attempt: 1,
    idempotencyKey,
    signal,
    log: () => undefined,
    progress: () => undefined,
    ...noAliases,
  };
}

/** What a promise was rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

/** Waits until a condition holds; the limit only bounds a test that would otherwise hang. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (condition()) return;
    await delay(20);
  }
  throw new Error(`still not so: ${what}`);
}
