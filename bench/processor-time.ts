/** Processor time of the whole machine, so that what others took during a sample can be told from what it took itself. */
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** Clock ticks a second, in which Linux counts (`getconf CLK_TCK`, the same on every common system). */
const ticksPerSecond = 100;

/** Microseconds in which any processor was busy since the machine was started; undefined where it cannot be read. */
export function machineBusyUs(): number | undefined {
  let text: string;
  try {
    text = readFileSync('/proc/stat', 'utf8');
  } catch {
    return undefined;
  }
  return busyUsOf(text);
}

/** Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. Waiting for a disk is not being busy. */
export function busyUsOf(stat: string): number | undefined {
  const fields = /^cpu +(.*)$/mu.exec(stat)?.[1]?.split(' ').map(Number);
  if (fields === undefined || fields.length < 8) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return ((user + nice + system + irq + softirq + steal) * 1_000_000) / ticksPerSecond;
}

/** Microseconds of processor time that this process has taken, all its threads and the kernel's work for it included. */
export function ownUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
