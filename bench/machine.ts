/** Where the figures come from. */
import { existsSync, statfsSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import process from 'node:process';

export interface Machine {
  readonly processors: number;
  readonly processor: string;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
  readonly sqlite: string;
}

export function machine(): Machine {
  const all = cpus();
  return {
    processors: all.length,
    processor: all[0]?.model ?? 'unknown',
    memoryBytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    sqlite: process.versions['sqlite'] ?? 'unknown',
  };
}

const tmpfsMagic = 0x01_02_19_94;

/** True when the folder is there and its files are kept in memory. */
export function isTmpfs(folder: string): boolean {
  return existsSync(folder) && statfsSync(folder).type === tmpfsMagic;
}
