import type { LockCall, LockRow } from '../../inspect/lock-table.ts';
import { oneLine, padToColumns } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { CommandText } from '../command-text.ts';
import type { ExitName } from '../exit-code.ts';
import { withClientStore } from '../store-place.ts';

export const locksCommand: Command = {
  name: 'locks',
  about: 'list the named locks that calls have now, and which calls wait for them',
  positionals: [],
  options: {},
  details:
    'Read from the store, as its entries have it. A lock that a doubt keeps is held until the doubt is settled; every other one belongs to the process that drives the store.',
  examples: ['axle locks', 'axle locks --json'],
  run: listLocks,
};

async function listLocks({ terminal, place, commandText }: Invocation): Promise<ExitName> {
  const { lockTable, maxRuns } = await import('../../inspect/lock-table.ts');
  const table = await withClientStore(place, (store, driver) => lockTable(store, { isDriven: driver.kind !== 'none' }));
  if (terminal.isJson) {
    terminal.json(table);
    return 'ok';
  }
  if (table.locks.length === 0) terminal.say('No call has a lock.');
  for (const lock of table.locks) for (const line of linesOf(lock, commandText)) terminal.say(line);
  if (!table.isWhole) terminal.note(`Only the newest ${maxRuns} runs at work were read.`);
  return 'ok';
}

function linesOf({ name, heldBy, wantedBy }: LockRow, commandText: CommandText): readonly string[] {
  return [
    oneLine(name),
    ...heldBy.map((holder) => {
      const shares = holder.mode === 'shared' ? ', shared' : '';
      const settle = commandText('resolve', `${holder.runId}/${holder.callId}`);
      const doubt = holder.isInDoubt ? `, in doubt: it keeps the lock until somebody settles that (${settle})` : '';
      return `  held by   ${callText(holder)}${shares}${doubt}`;
    }),
    ...wantedBy.map((call) => `  wanted by ${callText(call)}${call.mode === 'shared' ? ', shared' : ''}`),
  ];
}

function callText({ runId, callId, tool }: LockCall): string {
  return `${padToColumns(oneLine(`${runId}/${callId}`), 32)}  ${oneLine(tool)}`;
}
