/**
 * Whose a container is, and whether that process still lives: what an Axle that was killed leaves behind is cleared away by the next one.
 *
 * H4 A process is known by its id, its start and the namespace that its id belongs to; one of another namespace cannot be judged, only its time can.
 */
import { readlinkSync } from 'node:fs';
import process from 'node:process';
import { isRecord } from '../../util/json.ts';
import { readQuietly } from '../read-quietly.ts';
import type { EngineClient } from './engine-client.ts';

/** The label by which containers of sandboxes are found. */
const ownerLabel = 'dev.axle.sandbox.owner';
const untilLabel = 'dev.axle.sandbox.until';

/** Milliseconds that a container may live on after the time limit of its job. */
const graceMs = 5 * 60_000;

/** Labels for a container of this process. */
export function ownLabels(wallMs: number): Readonly<Record<string, string>> {
  return { [ownerLabel]: ownerOf(process.pid), [untilLabel]: String(Date.now() + wallMs + graceMs) };
}

function ownerOf(pid: number): string {
  return [place(), pid, startOf(pid) ?? 'gone'].join(' ');
}

/** The boot and the namespace in which an id means a process. */
function place(): string {
  return [readQuietly('/proc/sys/kernel/random/boot_id')?.trim() ?? '-', link('/proc/self/ns/pid') ?? '-'].join(' ');
}

/** Clock ticks since boot at which a process began. */
function startOf(pid: number): string | undefined {
  const text = readQuietly(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** True when nobody will ever ask for it again. */
function isAbandoned(labels: Readonly<Record<string, unknown>>): boolean {
  const [owner, until] = [labels[ownerLabel], labels[untilLabel]];
  if (typeof owner !== 'string') return false;
  if (Number(until) < Date.now()) return true;
  const words = owner.split(' ');
  const pid = Number(words.at(-2));
  return words.slice(0, -2).join(' ') === place() && ownerOf(pid) !== owner;
}

/** Removes the containers of owners that are gone; gives their number. @throws EngineFault */
export async function reap(engine: EngineClient): Promise<number> {
  const filters = encodeURIComponent(JSON.stringify({ label: [ownerLabel] }));
  const listed = await engine.ask({ method: 'GET', path: `/containers/json?all=1&filters=${filters}` });
  let reaped = 0;
  for (const each of Array.isArray(listed) ? listed : []) {
    const container: unknown = each;
    if (!isRecord(container) || typeof container['Id'] !== 'string' || !isRecord(container['Labels'])) continue;
    if (!isAbandoned(container['Labels'])) continue;
    await engine.ask({ method: 'DELETE', path: `/containers/${container['Id']}?force=1&v=1` }).then(
      () => (reaped += 1),
      // Another one was faster.
      () => undefined,
    );
  }
  return reaped;
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
