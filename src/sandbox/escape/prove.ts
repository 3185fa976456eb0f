/**
 * The proof of a sandbox driver: attempts to break out of jobs that it runs, here and now, and what came of them.
 *
 *     try one harmless job ──fails──► unusable
 *        │
 *        └──► attempts with things of the host, with too much of everything, with processes that hide ──► proven: what no attempt broke
 */
import { setTimeout as delay } from 'node:timers/promises';
import { defaultLimits } from '../../contract/declare/program.ts';
import { messageOf } from '../../error/axle-error.ts';
import type { ProbeResult, Proof, SandboxDriver } from '../../execute/sandbox/sandbox-driver.ts';
import { excessProbes } from './excess-probes.ts';
import { createHostWorld, type HostWorld } from './host-world.ts';
import { nodeInput, nodeProbes, nodeProgram, udpProbe } from './node-probes.ts';
import { shellProbes, shellScript } from './shell-probes.ts';
import { treeProbes } from './tree-probes.ts';
import { proofOf, type RunProbe, whatWasSaid } from './verdict.ts';

export interface ProveOptions {
  readonly thorough?: boolean;
  readonly notes?: readonly string[];
}

/** A proof takes no longer than its jobs may: some 30 s in the worst case, well under one second usually. */
const probeWallMs = 10_000;

export async function proveByEscape(driver: SandboxDriver, options: ProveOptions): Promise<Proof> {
  const { signal } = new AbortController();
  const run: RunProbe = (command, more = {}) =>
    driver.run(
      {
        code: { kind: 'command', command },
        stdin: '',
        files: {},
        environment: {},
        limits: defaultLimits,
        wallMs: probeWallMs,
        network: [],
        ...more,
      },
      signal,
    );
  const first = await run(['sh', '-c', 'env; exit 7']);
  if (first.end.kind !== 'exit' || first.end.code !== 7) {
    return { kind: 'unusable', reason: `a first job did not run: ${whatWasSaid(first)}` };
  }
  const world = await createHostWorld().catch((error: unknown) => messageOf(error));
  if (typeof world === 'string') return { kind: 'unusable', reason: `the attempts could not be prepared: ${world}` };
  try {
    const given = new Set(first.stdout.split('\n'));
    const foreign = world.variables.find((pair) => !given.has(pair)) ?? '';
    const rounds = [
      shellRound(run, world, foreign),
      excessProbes(run, options.thorough === true),
      treeProbes(run, world, options.thorough === true),
      ...(options.thorough === true ? [nodeRound(run, world, foreign)] : []),
    ];
    return proofOf((await Promise.all(rounds)).flat(), options.notes ?? []);
  } finally {
    await world.close();
  }
}

async function shellRound(run: RunProbe, world: HostWorld, foreign: string): Promise<readonly ProbeResult[]> {
  const probes = shellProbes(world, foreign);
  const { stdout } = await run(['sh', '-c', shellScript(probes)]);
  return read(probes, stdout);
}

async function nodeRound(run: RunProbe, world: HostWorld, foreign: string): Promise<readonly ProbeResult[]> {
  const { stdout } = await run(['node', '-e', nodeProgram], { stdin: nodeInput(world, foreign) });
  const results = read(nodeProbes, stdout);
  if (stdout === '') return results;
  // What was sent may still be on its way.
  await delay(50);
  const verdict = world.reached.has('udp') ? 'open' : 'contained';
  return results.map((result, index) => (index === udpProbe ? { ...result, verdict } : result));
}

/** Lines such as `3 contained`. An attempt without a line was not made. */
function read(probes: readonly Pick<ProbeResult, 'probe' | 'property'>[], stdout: string): readonly ProbeResult[] {
  return probes.map(({ probe, property }, index) => {
    const said = new RegExp(`^${index} (open|contained)$`, 'm').exec(stdout)?.[1];
    return { probe, property, verdict: said === 'open' || said === 'contained' ? said : 'void' };
  });
}
