/** The raw disk: append 1 KB and sync it, again and again. What nobody who promises durability can be faster than. */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { measure } from './measure.ts';
import type { ProbeSpec, Sample } from './sample-spec.ts';
import { bodyBytes } from './workload.ts';

export async function sampleProbe(spec: ProbeSpec): Promise<Sample> {
  const path = join(spec.folder, 'probe');
  const record = randomBytes(bodyBytes);
  const descriptor = openSync(path, 'w');
  const tookUs: number[] = [];
  const { foreignCores } = await measure(async () => {
    for (let count = 0; count < spec.syncs; count += 1) {
      const startedMs = performance.now();
      writeSync(descriptor, record);
      fdatasyncSync(descriptor);
      tookUs.push((performance.now() - startedMs) * 1_000);
    }
  });
  closeSync(descriptor);
  rmSync(path);
  tookUs.sort((left, right) => left - right);
  const at = (share: number): number => tookUs[Math.min(tookUs.length - 1, Math.floor(share * tookUs.length))] ?? 0;
  return [{ foreignCores, values: { p50Us: at(0.5), p99Us: at(0.99) } }];
}
