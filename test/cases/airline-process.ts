/**
 * One process of a recorded run on SQLite: starts or resumes it, and ends when it has ended. Started, and killed, by `airline/killed-process.ts`.
 * Its one argument is JSON: which recording, where store and ledger are, and where it is to stand still.
 */
import process from 'node:process';
import { createAxle, openSqliteStore } from '../../src/axle.ts';
import { airlineAgent, converse } from './airline/customer.ts';
import { AirlineDesk } from './airline/desk.ts';
import { deskTools } from './airline/desk-tools.ts';
import { holdingStore } from './airline/holding-store.ts';
import type { Job } from './airline/killed-process.ts';
import { ledgerInFile } from './airline/ledger.ts';
import { readRecordings } from './airline/recording.ts';

// The argument is written by `killed-process.ts`, with this type.
const job = JSON.parse(process.argv[2] ?? '{}') as Job;
const recording = readRecordings().find(({ id }) => id === job.recordingId);
if (recording === undefined) throw new Error(`There is no recording ${job.recordingId}.`);

const desk = new AirlineDesk(recording, ledgerInFile(job.ledgerPath));
const store = openSqliteStore(job.storePath, { role: 'driver' });
await using axle = await createAxle({
  store: job.hold === undefined ? store : holdingStore(store, job.hold),
  tools: deskTools(desk),
  agents: [airlineAgent(desk)],
});
await converse(axle, desk, (run) => run.result());
