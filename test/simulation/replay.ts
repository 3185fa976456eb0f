/** Runs one scenario again and prints, step by step, what happened in which order. */
import { generate } from './scenario/generate.ts';
import { readRecording } from './scenario/recording.ts';
import { runSchedule } from './schedule.ts';
import type { Scenario } from './scenario/scenario.ts';

/** `what` is a seed or a file. False when a law is broken. */
export async function replay(what: string, print: (line: string) => void): Promise<boolean> {
  const scenario = scenarioOf(what);
  const { tape, ...rest } = scenario;
  print(`scenario ${JSON.stringify(rest)}`);
  print(`tape     ${tape.join(' ')}`);
  const { violations, simulated } = await runSchedule(scenario, { watch: print });
  for (const told of simulated.history.told) print(`told     ${JSON.stringify(told)}`);
  for (const effect of simulated.history.effects) {
    print(
      `effect   ${effect.runId}/${effect.callId}#${effect.attempt} ${effect.tool} by ${effect.by}${effect.isFirst ? '' : ' (again, same key)'}`,
    );
  }
  for (const { law, numbers, message } of violations) print(`BROKEN   ${law} (${numbers}): ${message}`);
  if (violations.length === 0) print('All laws hold.');
  return violations.length === 0;
}

function scenarioOf(what: string): Scenario {
  return /^\d+$/u.test(what) ? generate(Number(what)) : readRecording(what).scenario;
}
