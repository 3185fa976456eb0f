/**
 * Whether the job was done, judged by what is there: the memo's file, and the ledgers that other processes wrote. The journal is believed
 * only where it speaks of itself: that the run has completed.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../src/util/json.ts';
import { readLedger } from '../ledger.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Verdict {
  readonly ok: boolean;
  /** What is wrong, one sentence each. */
  readonly problems: readonly string[];
  /** Files in the folder of the memos. */
  readonly memos: readonly string[];
  /** Recipients of the mails in the mail service's ledger, one a mail. */
  readonly mails: readonly string[];
  /** Requests in the weather service's ledger. */
  readonly weatherRequests: number;
}

export interface Expectation {
  readonly address: string;
  /** How the run ended, as its journal says; undefined when it has not. */
  readonly ending: string | undefined;
}

const maxMemos = 100;

export function judge(folder: WorkFolder, { address, ending }: Expectation): Verdict {
  const memos = readdirSync(folder.memos, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder.memos, name)).isFile(),
  );
  const mails = readLedger(folder.mailLedger).map((row) => (isRecord(row) ? String(row['to']) : 'unreadable'));
  const problems: string[] = [];
  if (ending !== 'completed') {
    problems.push(`The run has ${ending === undefined ? 'not ended' : `ended as ${ending}`}.`);
  }
  if (memos.length !== 1) problems.push(`There should be one memo, and there are ${memos.length}.`);
  for (const name of memos.slice(0, maxMemos)) {
    if (readFileSync(join(folder.memos, name), 'utf8').trim() === '') problems.push(`The memo ${name} is empty.`);
  }
  const ours = mails.filter((to) => to === address);
  if (ours.length !== 1) problems.push(`One e-mail to ${address} should have arrived, and ${ours.length} have.`);
  if (mails.length > ours.length) problems.push(`${mails.length - ours.length} e-mails went to somebody else.`);
  return {
    ok: problems.length === 0,
    problems,
    memos,
    mails,
    weatherRequests: readLedger(folder.weatherLedger).length,
  };
}
