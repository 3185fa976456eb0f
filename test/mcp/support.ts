/** What the tests of the MCP client share: processes by their ids, failures, and the rude server. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type { Contract, ToolContext } from '../../src/contract/contract.ts';
import { mcp, type McpCommandOptions, type McpSource } from '../../src/mcp.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { contextOf } from './context.ts';

const rudeServer = fileURLToPath(new URL('rude-server.mjs', import.meta.url));

export interface RudeOptions extends Partial<McpCommandOptions> {
  readonly flags?: readonly string[];
}

/** A source over the rude server, closed when the test ends. */
export function rude({ flags = [], ...options }: RudeOptions = {}): McpSource {
  const source = mcp({ name: 'rude', command: process.execPath, args: [rudeServer, ...flags], ...options });
  onTestFinished(() => source.close());
  return source;
}

/** Calls a tool and gives what it threw. */
export async function failureOf(
  contract: Contract,
  input: JsonObject = {},
  context: ToolContext = contextOf(),
): Promise<unknown> {
  try {
    await contract.execute(input, context);
  } catch (error) {
    return error;
  }
  throw new Error(`${contract.name} did not fail`);
}

/** True while a process lives; one that only waits to be collected by its parent does not. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z';
  } catch {
    return process.platform !== 'linux';
  }
}

/** Waits until a condition holds; the limit only bounds a test that would otherwise hang. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (condition()) return;
    await delay(25);
  }
  throw new Error(`still not so: ${what}`);
}

// The matchers of the test runner are typed `any`; as values to compare with, nobody needs to know more than that they are some.
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}
export function listWith(...items: readonly string[]): unknown {
  return expect.arrayContaining([...items]);
}
export function anyNumber(): unknown {
  return expect.any(Number);
}
