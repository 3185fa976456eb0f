/** What a run is to do: a function of its input, so that the brain needs no memory and the judge knows what to expect. */
import { isRecord } from '../../../src/util/json.ts';
import { oneOf, seededRandom, wholeBetween } from '../random.ts';
import { effectfulTools, readTools } from './tool-names.ts';

export interface PlannedCall {
  readonly tool: string;
  readonly text: string;
}

/** Calls of one answer of the model. */
export type PlannedTurn = readonly PlannedCall[];

export interface Scenario {
  readonly seed: number;
  /** How many answers with calls the model gives before it says that it is done. */
  readonly turns: number;
}

export function inputOf(scenario: Scenario): string {
  return JSON.stringify(scenario);
}

export function scenarioOf(input: string): Scenario {
  const value: unknown = JSON.parse(input);
  if (!isRecord(value) || typeof value['seed'] !== 'number' || typeof value['turns'] !== 'number') {
    throw new Error(`No scenario: ${input}`);
  }
  return { seed: value['seed'], turns: value['turns'] };
}

/** Two appends a turn: enough for a snapshot. */
const longRunTurns = 36;

/** A short run of everything, now and then a long one of reads, so that snapshots are taken. */
export function drawScenario(random: () => number): Scenario {
  const isLong = random() < 0.08;
  return { seed: wholeBetween(random, 1, 1_000_000_000), turns: isLong ? longRunTurns : wholeBetween(random, 2, 4) };
}

export function turnsOf({ seed, turns }: Scenario): readonly PlannedTurn[] {
  const random = seededRandom(seed);
  return Array.from({ length: turns }, (_, turn) => {
    const isQuick = turns >= longRunTurns;
    const count = isQuick ? 1 : wholeBetween(random, 1, 4);
    return Array.from({ length: count }, (__, place) => {
      const tool = random() < 0.3 ? oneOf(random, readTools) : oneOf(random, effectfulTools);
      return { tool: isQuick ? 'peek' : tool, text: `${seed}/${turn}.${place}` };
    });
  });
}
