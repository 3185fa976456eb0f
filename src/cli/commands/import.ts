import { createReadStream } from 'node:fs';
import { AxleError, isAxleError } from '../../error/axle-error.ts';
import type { ImportedRun } from '../../export/import-run.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { makeStore, withClientStore } from '../store-place.ts';

export const importCommand: Command = {
  name: 'import',
  about: 'take a run file into the store, to look at the run there',
  positionals: [{ name: 'FILE' }],
  options: {},
  details:
    'The file is checked through and through first; what was changed or cut off is refused, and nothing of it taken in. The run is a copy: nobody drives it, also when it had not ended.',
  examples: ['axle import run.jsonl', 'axle import run.jsonl --store elsewhere.db --json'],
  run: importFile,
};

async function importFile(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  const path = invocation.argument(0);
  const { importRun } = await import('../../export/import-run.ts');
  await makeStore(place);
  const imported = await withClientStore(place, async (store): Promise<ImportedRun> => {
    try {
      return await importRun(store, createReadStream(path));
    } catch (cause) {
      if (isAxleError(cause)) throw cause;
      throw new AxleError('usage-invalid', `${path} could not be read.`, { cause });
    }
  });
  if (terminal.isJson) terminal.json(imported);
  else {
    const { runId, entries, created, ended } = imported;
    terminal.say(created ? `${runId} is in the store, with ${entries} entries.` : `${runId} was in the store already.`);
    if (!ended) terminal.say('It had not ended. It is a copy, and nobody drives it here.');
    terminal.say(`  ${invocation.commandText('show', runId)}`);
  }
  return 'ok';
}
