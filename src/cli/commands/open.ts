import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AxleError } from '../../error/axle-error.ts';
import type { Command, Invocation } from '../command.ts';
import type { Store } from '../../journal/store.ts';
import type { ExitName } from '../exit-code.ts';
import { serveAxle } from '../serve/serve-axle.ts';
import { listenOptions } from '../serve/server-settings.ts';

export const openCommand: Command = {
  name: 'open',
  about: 'look at the runs of a store in the debugger, without configuration, and change nothing',
  positionals: [{ name: 'FILE' }],
  options: { ...listenOptions, open: { about: 'show the debugger in the browser' } },
  details: 'FILE is a store, also one that another process drives, or a run file (axle export).',
  examples: ['axle open axle.db', 'axle open backup/axle.db --port 0 --open'],
  run: openFile,
};

async function openFile(invocation: Invocation): Promise<ExitName> {
  const path = resolve(invocation.argument(0));
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new AxleError('store-invalid', `There is no file at ${path}.`, { remedy: 'Check the name of the file.' });
  }
  const { createAxle } = await import('../../facade/create-axle.ts');
  const { openSqliteStore } = await import('../../journal/sqlite/sqlite-store.ts');
  return serveAxle(invocation, {
    open: async () =>
      createAxle({ store: isStore(path) ? openSqliteStore(path, { role: 'client' }) : await storeOfRunFile(path) }),
    server: { readOnly: true },
    drainMs: 0,
    opensBrowser: invocation.has('open'),
  });
}

/** Whether a file is a database; what is none is taken for a run file. */
function isStore(path: string): boolean {
  const head = Buffer.alloc(15);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return head.toString('latin1') === 'SQLite format 3';
}

/** @throws AxleError `run-file-invalid`, `run-file-too-new` */
async function storeOfRunFile(path: string): Promise<Store> {
  const { importRun } = await import('../../export/import-run.ts');
  const { createMemoryStore } = await import('../../journal/memory/memory-store.ts');
  const store = createMemoryStore();
  await importRun(store, createReadStream(path));
  return store;
}
