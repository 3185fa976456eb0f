/**
 * Preloaded (`node --import`) in the processes of the kill tests only: turns the crash points of `src/` into calls while modules are loaded, and kills the process
 * with SIGKILL at the pass that the environment names.
 *
 *   AXLE_KILL_POINTS  names, separated by commas; without them nothing is killed here
 *   AXLE_KILL_PASS    which pass of any of them kills, from 1
 *   AXLE_KILL_HITS    a file; the name is added to it right before the kill, since nothing can be said after it
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import process from 'node:process';
import { withCalls } from './list-points.ts';

const sourceFolder = new URL('../../src/', import.meta.url).href;
const armed = new Set((process.env['AXLE_KILL_POINTS'] ?? '').split(','));
const pass = Number(process.env['AXLE_KILL_PASS']);
const hitsFile = process.env['AXLE_KILL_HITS'];
let passes = 0;

function crashpoint(name: string): void {
  if (!armed.has(name)) return;
  passes += 1;
  if (passes !== pass) return;
  if (hitsFile !== undefined) appendFileSync(hitsFile, `${name}\n`);
  process.kill(process.pid, 'SIGKILL');
}

Object.defineProperty(globalThis, '__axleCrashpoint', { value: crashpoint });

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(sourceFolder) || loaded.source === undefined) return loaded;
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: withCalls(source) };
  },
});
