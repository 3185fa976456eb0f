import process from 'node:process';
import { readVersion } from '../../server/read-version.ts';
import type { Command } from '../command.ts';

export const versionCommand: Command = {
  name: 'version',
  about: 'say which Axle, Node and SQLite this is',
  positionals: [],
  options: {},
  examples: ['axle version', 'axle version --json'],
  run: async ({ terminal }) => {
    const versions = {
      axle: readVersion(),
      node: process.versions.node,
      sqlite: process.versions['sqlite'] ?? 'none',
    };
    if (terminal.isJson) terminal.json(versions);
    else terminal.say(`axle ${versions.axle} (node ${versions.node}, sqlite ${versions.sqlite})`);
    return 'ok';
  },
};
