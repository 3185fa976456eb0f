/** One measured stretch of work: time, processor time of this process, and how much of the machine others took meanwhile. */
import { performance } from 'node:perf_hooks';
import { machineBusyUs, ownUs } from './processor-time.ts';

export interface Stretch {
  readonly wallUs: number;
  readonly cpuUs: number;
  /** Processors that others kept busy, on average; null where that cannot be read. */
  readonly foreignCores: number | null;
}

export async function measure(work: () => Promise<void>): Promise<Stretch> {
  const busyBefore = machineBusyUs();
  const ownBefore = ownUs();
  const startedMs = performance.now();
  await work();
  const wallUs = (performance.now() - startedMs) * 1_000;
  const cpuUs = ownUs() - ownBefore;
  const busyAfter = machineBusyUs();
  const foreignUs = busyBefore === undefined || busyAfter === undefined ? undefined : busyAfter - busyBefore - cpuUs;
  return { wallUs, cpuUs, foreignCores: foreignUs === undefined ? null : Math.max(0, foreignUs / wallUs) };
}
