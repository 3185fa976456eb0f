/**
 * The port to sandboxes: a sandbox driver runs jobs apart from this process, and has proven what it holds back.
 *
 * B1 A driver is what its proof says and nothing more: a property counts when attempts to break it were made, in this place, and all failed.
 * B2 `run` never throws for what a job does: every end is a `SandboxResult`. It resolves when nothing of the job that the driver can find still runs.
 */
import type { SandboxProperty } from '../../call/isolation.ts';
import type { FromVariable, NetworkPlace, SandboxLimits } from '../../contract/program.ts';

/** What runs: a command with its arguments, or JavaScript. */
export type SandboxCode =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | { readonly kind: 'source'; readonly source: string };

export interface SandboxJob {
  readonly code: SandboxCode;
  /** For a command its standard input, for a source the JSON text of its input. */
  readonly stdin: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Values, or names of variables that the driver reads when the job starts. */
  readonly environment: Readonly<Record<string, string | FromVariable>>;
  readonly limits: SandboxLimits;
  /** Milliseconds after which the job is ended. */
  readonly wallMs: number;
  /** Places that it may reach; only for drivers with `grantsNetwork`. */
  readonly network: readonly NetworkPlace[];
}

/** How a job ended. */
export type SandboxEnd =
  | { readonly kind: 'ok' }
  /** It said itself that it failed. */
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'memory' }
  | { readonly kind: 'cpu' }
  | { readonly kind: 'output-limit' }
  /** By a signal: the abort of the caller, or one that it sent itself. */
  | { readonly kind: 'killed'; readonly signal: string }
  /** Nothing of it ran. */
  | { readonly kind: 'not-started'; readonly reason: string };

export interface SandboxResult {
  readonly end: SandboxEnd;
  readonly stdout: string;
  readonly stderr: string;
  /** What it took, as far as the driver can tell. */
  readonly usage: { readonly wallMs: number; readonly outputBytes: number };
}

/** One attempt to break out, and what came of it. `void`: it could not be made in this place, and proves nothing. */
export interface ProbeResult {
  readonly probe: string;
  /** `time` and `output` are held by every driver: one that does not is unusable. */
  readonly property: SandboxProperty | 'time' | 'output';
  readonly verdict: 'contained' | 'open' | 'void';
}

/** What a driver can do on this machine, found out by trying. */
export type Proof =
  | { readonly kind: 'unusable'; readonly reason: string }
  | {
      readonly kind: 'proven';
      readonly properties: readonly SandboxProperty[];
      readonly probes: readonly ProbeResult[];
      /** What the words of a property do not say: for example whether memory is counted for each process. */
      readonly notes: readonly string[];
    };

export interface SandboxDriver {
  /** `subprocess`, `quickjs`, `bubblewrap`, `docker`, or one's own. */
  readonly id: string;
  readonly runs: SandboxCode['kind'];
  /** What a start costs, in milliseconds, roughly: of several that would do, the cheapest is taken. */
  readonly startMs: number;
  /** True when it is meant to hold against code that means harm: then a probe that gets through is a fault of the machine, or of the driver. */
  readonly isBoundary: boolean;
  /** True when it can let a job reach chosen places through a filtering proxy. */
  readonly grantsNetwork: boolean;
  /** Tries to break out and says what was contained. `thorough` makes every attempt; otherwise only those that a start can wait for. */
  probe(options?: { readonly thorough?: boolean }): Promise<Proof>;
  run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult>;
  /** Ends what runs, and resolves when it is gone. */
  close(): Promise<void>;
}
