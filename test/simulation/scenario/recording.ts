/** A failing scenario as a file: written when it is found, read to be replayed. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  answers,
  behaviours,
  loginAnswers,
  loginFaults,
  modelFaults,
  type Scenario,
  verifyFaults,
} from './scenario.ts';
import { allToolNames } from '../world/tools.ts';

const position = z.enum(['before', 'inside', 'after']);
const at = z.int().min(1);
const ms = z.int().min(0);
const fault = z.discriminatedUnion('kind', [
  z.object({ at, kind: z.literal('crash'), position, restartAfterMs: ms }),
  z.object({ at, kind: z.literal('power-cut'), position, kept: z.int().min(0).max(255), restartAfterMs: ms }),
  z.object({ at, kind: z.literal('lost') }),
  z.object({ at, kind: z.literal('unacknowledged') }),
  z.object({ at, kind: z.literal('unavailable'), forMs: ms, reads: z.boolean() }),
  z.object({ at, kind: z.literal('slow'), forMs: ms }),
  z.object({ at, kind: z.literal('freeze'), forMs: ms }),
  z.object({ at, kind: z.literal('steal'), forMs: ms }),
  z.object({ at, kind: z.literal('jump'), byMs: z.int() }),
  z.object({ at, kind: z.literal('cancel'), run: z.int().min(0) }),
  z.object({ at, kind: z.literal('message'), run: z.int().min(0) }),
  z.object({ at, kind: z.literal('shut-down'), restartAfterMs: ms }),
]);
const call = z.object({
  tool: z.enum(allToolNames),
  form: z.enum([
    'good',
    'same-id-again',
    'id-of-before',
    'no-id',
    'bad-arguments',
    'not-json',
    'unknown-tool',
    'needs-repair',
    'same-arguments',
  ]),
});
const run = z.object({
  kind: z.enum(['agent', 'call']),
  startAfterMs: ms,
  waits: z.boolean(),
  onDoubt: z.enum(['ask', 'tell']),
  turns: z.array(
    z.object({
      kind: z.enum(['calls', 'truncated', 'empty', 'unreadable', 'says-nothing-useful']),
      calls: z.array(call),
    }),
  ),
  behaviours: z.array(z.enum([...behaviours, ...loginFaults])),
  models: z.array(z.enum(modelFaults)),
  verifies: z.array(z.enum(verifyFaults)),
  approvals: z.array(z.object({ answer: z.enum(answers), afterMs: ms })),
  doubts: z.array(z.object({ then: z.enum(['retry', 'fail']), afterMs: ms })),
  words: z.array(z.object({ ask: z.int(), afterMs: ms, what: z.enum(['cancel', 'message']) })),
  authorizations: z.array(z.object({ answer: z.enum(loginAnswers), afterMs: ms })).exactOptional(),
  undo: z.object({ afterMs: ms, times: z.int().min(1).max(3), skips: z.boolean() }).exactOptional(),
});
const scenario = z.object({
  seed: z.int(),
  workers: z.int().min(1).max(3),
  sharing: z.enum(['one', 'everybody']),
  durability: z.enum(['effects', 'strict']),
  snapshotEvery: z.int().min(0),
  runs: z.array(run).min(1),
  faults: z.array(fault),
  changes: z
    .array(
      z.object({
        afterMs: ms,
        worker: z.union([z.int().min(0), z.literal('all')]),
        tool: z.enum(allToolNames),
        what: z.enum(['beside', 'replace', 'remove', 'odd']),
      }),
    )
    .exactOptional(),
  tape: z.array(z.int().min(0).max(255)),
});
const recording = z.object({
  /** What went wrong, and when it was put right. */
  note: z.string(),
  /** The law that it broke, by the name of its checker. */
  law: z.string(),
  scenario,
});

export interface Recording {
  readonly note: string;
  readonly law: string;
  readonly scenario: Scenario;
}

/** @throws ZodError when the file is no recording */
export function readRecording(file: string | URL): Recording {
  return recording.parse(JSON.parse(readFileSync(file, 'utf8')));
}
