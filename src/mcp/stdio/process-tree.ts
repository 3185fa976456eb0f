/**
 * Finds and ends everything that a server started. A process group alone is not enough: a program leaves its group with
 * one call. So on Linux four signs are read from /proc: the group, the parent, the mark that every server carries in its
 * environment and hands down with it, and what was seen of the tree earlier. Elsewhere the group has to do.
 *
 * T1 A single process is signalled only while its start time is the one that was seen, so a reused id is never hit.
 */
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** The name of the variable that marks a server and all that it starts. */
export const markName = 'AXLE_MCP_SERVER';

/** What is searched for: the leader of the group, and the value of its mark. */
export interface TreeRoot {
  readonly pid: number;
  readonly mark: string;
}

/** A process, told from a later one with the same id by its start in clock ticks since boot. */
export interface SeenProcess {
  readonly pid: number;
  readonly startTicks: string;
}

interface ProcessRow extends SeenProcess {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
}

/** The living processes of a tree, those of `seen` that still live included. Empty where there is no /proc. */
export function findTree(root: TreeRoot, seen: readonly SeenProcess[] = []): readonly SeenProcess[] {
  const rows = allProcesses().filter((row) => row.pid !== process.pid);
  const members = new Set<number>();
  for (const row of rows) {
    const belongs =
      row.pid === root.pid || row.group === root.pid || wasSeen(row, seen) || carriesMark(row.pid, root.mark);
    if (belongs) members.add(row.pid);
  }
  // Children of members are members; each round finds one more generation.
  for (let known = -1; known !== members.size;) {
    known = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
  return rows.filter((row) => members.has(row.pid)).map(({ pid, startTicks }) => ({ pid, startTicks }));
}

/** True while anything of a tree lives. Where there is no /proc, only its group is asked. */
export function treeLives(root: TreeRoot, seen: readonly SeenProcess[]): boolean {
  if (process.platform !== 'linux') return groupLives(root);
  // What is known is cheap to ask; the whole of /proc is read only when that has gone.
  return seen.some(isSame) || findTree(root, seen).length > 0;
}

/** Signals a group and single processes. What is gone already is no fault. */
export function signalTree(root: TreeRoot, tree: readonly SeenProcess[], signal: 'SIGTERM' | 'SIGKILL'): void {
  // The group is signalled in one go, so that nobody forks away in between; not when it is empty, since its number may be another's then.
  if (tree.length > 0 || process.platform !== 'linux') signalQuietly(groupOf(root), signal);
  for (const seen of tree) if (isSame(seen)) signalQuietly(seen.pid, signal);
}

// One that only waits to be collected by its parent (state Z) does not live any more.
function isSame(seen: SeenProcess): boolean {
  const row = readProcess(seen.pid);
  return row !== undefined && row.startTicks === seen.startTicks && row.state !== 'Z';
}

function groupLives(root: TreeRoot): boolean {
  try {
    process.kill(groupOf(root), 0);
    return true;
  } catch {
    return false;
  }
}

// Windows knows no groups: there the server itself is all that can be reached.
function groupOf(root: TreeRoot): number {
  return process.platform === 'win32' ? root.pid : -root.pid;
}

function signalQuietly(target: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended, or it belongs to another user by now: either way there is nothing left for us to end.
  }
}

function wasSeen(row: ProcessRow, seen: readonly SeenProcess[]): boolean {
  return seen.some((one) => one.pid === row.pid && one.startTicks === row.startTicks);
}

function allProcesses(): readonly ProcessRow[] {
  let names: readonly string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((row): row is ProcessRow => row !== undefined && row.state !== 'Z');
}

// /proc/PID/stat is `pid (name) state ppid pgrp ...`; the name may hold spaces and brackets, so it is cut at the last one.
function readProcess(pid: number): ProcessRow | undefined {
  const text = readQuietly(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields ?? [];
  const startTicks = fields?.[19];
  if (state === undefined || parent === undefined || group === undefined || startTicks === undefined) return undefined;
  return { pid, startTicks, state, parent: Number(parent), group: Number(group) };
}

function carriesMark(pid: number, mark: string): boolean {
  const environment = readQuietly(`/proc/${pid}/environ`);
  return environment?.split('\0').includes(`${markName}=${mark}`) ?? false;
}

function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
