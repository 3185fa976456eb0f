/** Runs the protocol's conformance suite, as the program that it is, against Axle's client. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The stable release, a dependency of the repository. */
export const stableSuite = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const client = fileURLToPath(new URL('client.ts', import.meta.url));

export interface ScenarioResult {
  readonly scenario: string;
  readonly passed: boolean;
  readonly checks: { readonly passed: number; readonly total: number };
  /** What the suite said. */
  readonly said: string;
}

/** The names of the suite's client scenarios. */
export async function clientScenarios(suite: string): Promise<readonly string[]> {
  const { said } = await run(suite, ['list']);
  const [, listed = ''] = /Client scenarios[^\n]*\n([\s\S]*?)(?:\n\n|$)/.exec(said) ?? [];
  return Array.from(listed.matchAll(/^\s*-\s+(\S+)/gm), ([, name = '']) => name);
}

export async function runScenario(suite: string, scenario: string): Promise<ScenarioResult> {
  const folder = mkdtempSync(join(tmpdir(), 'axle-conformance-'));
  try {
    const command = `${process.execPath} --conditions=axle-source ${client}`;
    const words = ['client', '--command', command, '--scenario', scenario, '--output-dir', folder];
    const { code, said } = await run(suite, words);
    const [, passed, total] = /Passed: (\d+)\/(\d+)/.exec(said) ?? [];
    return { scenario, passed: code === 0, checks: { passed: Number(passed ?? 0), total: Number(total ?? 0) }, said };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(suite: string, words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suite, ...words], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, said }));
  });
}
