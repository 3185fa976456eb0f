import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { isRecord } from '../../util/json.ts';
import type { Command } from '../command.ts';

export const versionCommand: Command = {
  name: 'version',
  about: 'say which Axle, Node and SQLite this is',
  positionals: [],
  options: {},
  examples: ['axle version', 'axle version --json'],
  run: async ({ terminal }) => {
    const versions = {
      axle: await axleVersion(),
      node: process.versions.node,
      sqlite: process.versions['sqlite'] ?? 'none',
    };
    if (terminal.isJson) terminal.json(versions);
    else terminal.say(`axle ${versions.axle} (node ${versions.node}, sqlite ${versions.sqlite})`);
    return 'ok';
  },
};

/** From the package's own manifest, which stands at the same distance from source and build. */
async function axleVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
  return isRecord(manifest) ? String(manifest['version']) : 'unknown';
}
