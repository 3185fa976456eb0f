/**
 * The client of a recorded run: it starts the run, says what the customer said, and settles doubts that only a person can settle, until the run has ended.
 *
 * C1 It can begin anew at any time, in another process: whatever it sends carries a key, so that nothing arrives twice.
 * C2 About a doubt it says what the ledger says, and nothing else.
 */
import {
  agent,
  type Agent,
  type Axle,
  type DoubtAnswer,
  type EndedRun,
  isAxleError,
  type RunHandle,
  type RunResult,
} from '../../../src/axle.ts';
import type { AirlineDesk } from './desk.ts';
import { recordedBrain } from './recorded-brain.ts';
import { replyAfter } from './recording.ts';

/** More rounds than any recording needs; a run that waits for what never comes must not be waited for for ever. */
const maxRounds = 10_000;

/**
 * The agent of a recording. It may ask the model as often as the recording did: where the recording ends, the run has used up its steps
 * and stops, with the last words or the last result in its conversation.
 */
export function airlineAgent(desk: AirlineDesk): Agent {
  return agent({
    name: 'airline',
    model: recordedBrain(desk),
    tools: [...desk.tools.keys()],
    onAnswer: 'wait',
    budget: { steps: desk.recording.turns, time: '24h' },
  });
}

/** Carries a run to its end. `rest` resolves when the run rests, as `run.result()` does. */
export async function converse(
  axle: Axle,
  desk: AirlineDesk,
  rest: (run: RunHandle) => Promise<RunResult>,
): Promise<EndedRun> {
  const { recording } = desk;
  const run = await axle.start('airline', { input: recording.opening, key: recording.id });
  for (let round = 0; round < maxRounds; round += 1) {
    const result = await rest(run);
    if (result.status !== 'waiting') return result;
    for (const reason of result.on) {
      if (reason.kind === 'message') await reply(run, desk);
      else if (reason.kind === 'doubt') await settleDoubts(axle, desk, run.id);
      else throw new Error(`Run ${run.id} waits for ${reason.kind}, which no recording has.`);
    }
  }
  throw new Error(`Run ${run.id} did not end in ${maxRounds} rounds.`);
}

async function reply(run: RunHandle, { recording }: AirlineDesk): Promise<void> {
  const { steps } = (await run.summary()).status;
  const words = replyAfter(recording, steps);
  if (words === undefined) throw new Error(`The customer of ${recording.id} says nothing after turn ${steps}.`);
  await run.send(words, { key: `after-${steps}` });
}

async function settleDoubts(axle: Axle, desk: AirlineDesk, runId: string): Promise<void> {
  for (const { id } of await axle.calls.inDoubt(runId)) {
    const output = desk.answerOf(id);
    const truth: DoubtAnswer = output === undefined ? { happened: false, then: 'retry' } : { happened: true, output };
    try {
      await axle.calls.resolve(id, truth);
    } catch (error) {
      // Said before, and not taken in yet.
      if (!isAxleError(error, 'decision-already-made') && !isAxleError(error, 'decision-invalid')) throw error;
    }
  }
}
