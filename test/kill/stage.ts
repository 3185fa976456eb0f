/** A small stage for tests with real processes: a folder, a ledger, and drivers that the test itself stops and kills. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child, startProgram } from './child.ts';
import { LedgerClient } from './programs/ledger-client.ts';
import { type LedgerLine, readLedgerFile } from './programs/ledger-lines.ts';
import type { Report } from './programs/messages.ts';

export class Stage {
  readonly storePath: string;
  readonly ledger: Child;
  readonly ledgerClient: LedgerClient;
  readonly #folder: string;
  readonly #children: Child[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
    this.storePath = join(folder, 'axle.db');
    this.ledgerClient = new LedgerClient(this.#socketPath);
    this.ledger = new Child({ program: 'ledger', words: [this.#socketPath, this.#ledgerPath], onReport: () => {} });
    this.#children.push(this.ledger);
  }

  static async open(): Promise<Stage> {
    const stage = new Stage(mkdtempSync(join(tmpdir(), 'axle-stage-')));
    await stage.ledger.heard('listening');
    return stage;
  }

  /** Starts a driver and tells it to open the store. `reports` gathers what it says. */
  async driver(reports: Report[] = []): Promise<Child> {
    const options = {
      storePath: this.storePath,
      socketPath: this.#socketPath,
      seed: 1,
      upstream: 'calm',
      durability: 'effects',
      checkpointBytes: 16_777_216,
    } as const;
    const child = startProgram('worker', options, { onReport: (said) => void reports.push(said) });
    this.#children.push(child);
    await child.heard('loaded');
    child.order({ kind: 'open' });
    return child;
  }

  /** What really happened, in order. */
  effects(): readonly LedgerLine[] {
    return readLedgerFile(this.#ledgerPath);
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #socketPath(): string {
    return join(this.#folder, 'ledger.sock');
  }

  get #ledgerPath(): string {
    return join(this.#folder, 'ledger.jsonl');
  }
}
