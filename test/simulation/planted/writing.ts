/** Who may write, and what a store keeps. */
import { driver, perform, disk } from './places.ts';
import { bug, type PlantedBug } from './planted-bug.ts';

/** Identity and fencing. */
export const identity: readonly PlantedBug[] = [
  bug(
    'random idempotency key',
    'src/run/idempotency-key.ts',
    'return sha256(`axle/idempotency/1 ${runId} ${identity}`);',
    'draws += 1;\n  return sha256(`${draws} ${runId} ${identity}`);\n}\nlet draws = 0;\n{',
  ),
  bug(
    'idempotency key includes the attempt',
    perform,
    'keyOfAttempt(runId, call)',
    'keyOfAttempt(`${runId}#${work.attempt}`, call)',
  ),
  bug(
    '* key of a read does not say what is read',
    'src/run/idempotency-key.ts',
    "if (call.terms.effect !== 'read') return",
    'return',
  ),
  bug('no epoch check', disk, 'append.epoch !== summary.epoch || append.firstSeq', 'append.firstSeq'),
  {
    name: 'epoch check outside the transaction',
    patches: [
      { file: disk, find: 'append.epoch !== summary.epoch || append.firstSeq', replace: 'append.firstSeq' },
      {
        file: 'test/simulation/store/fake-store.ts',
        find: "return this.#do('append', 'write', () => this.#disk.append(batch, this.#gate.name));",
        replace: `return this.#do('run', 'read', () => this.#disk.summary(batch.runId)?.epoch).then((epoch) => {
      if (epoch !== batch.append.epoch) throw new AxleError('append-fenced', 'The run has another owner.');
      return this.#do('append', 'write', () => this.#disk.append(batch, this.#gate.name));
    });`,
      },
    ],
  },
  bug(
    'claim does not raise the epoch',
    disk,
    'epoch: row.summary.epoch + 1 }',
    'epoch: Math.max(1, row.summary.epoch) }',
  ),
  bug(
    '* overtaken claim performs what it reads',
    driver,
    'if (this.#state.epoch > this.#epoch) return',
    'if (this.#state.epoch > 1_000_000) return',
  ),
  bug(
    '* entries behind the end of a run',
    driver,
    "if (this.#state.stage === 'ended') return await this.#ended();",
    '',
  ),
  bug(
    'unconfirmed append believed',
    'src/run/commit.ts',
    'return readBack(engine, batch);',
    'return Number.MAX_SAFE_INTEGER;',
  ),
  {
    ...bug(
      'unconfirmed append made again behind itself',
      'src/run/commit.ts',
      'return readBack(engine, batch);',
      'return engine.store.append({ ...batch, append: { ...batch.append, firstSeq: batch.append.firstSeq + batch.append.entries.length } }).catch(() => readBack(engine, batch));',
    ),
    law: 'nothingTwice',
  },
  bug(
    'part of a snapshot is skipped',
    'src/run/load-run.ts',
    'append.firstSeq > control.seq)',
    'append.firstSeq > control.seq + 1)',
  ),
  bug(
    'snapshot ahead of its entries',
    'src/run/load-run.ts',
    'return { seq: state.seq, state: { version: snapshotVersion, control: data } };',
    'return { seq: state.seq + 1, state: { version: snapshotVersion, control: { ...data, seq: state.seq + 1 } } };',
  ),
  bug(
    'snapshot forgets what people refused',
    'src/run/load-run.ts',
    'control: data } };',
    'control: { ...data, denied: [] } } };',
  ),
];

/** Faults of a store. */
export const store: readonly PlantedBug[] = [
  bug(
    'one key, two runs',
    disk,
    'run.key !== undefined && other.run.key === run.key',
    'run.key !== undefined && other.run.key === run.key && other.run.runId === run.runId',
  ),
  bug(
    'power cut takes what was synced',
    disk,
    'const length = this.#synced + Math.round((open * kept) / 255);',
    'const length = Math.max(0, this.#synced - 1 + Math.round((open * kept) / 255));',
  ),
  bug(
    'append changes what stands before it',
    disk,
    'row.rows.push(written);',
    'row.rows.push(written.lastSeq % 5 === 0 ? { ...written, text: written.text.replace(\'"tookMs":\', \'"tookMs":1\') } : written);',
  ),
];
