import { valueText } from '../../trace/span-words.ts';
import type { ReplayDifference, ReplayedEntry, ReplayReport } from '../../replay/replay-report.ts';
import type { AxleConfig } from '../../facade/define-config.ts';
import { oneLine } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { contractLookup } from '../known-contracts.ts';
import { withClientStore } from '../store-place.ts';

export const replayCommand: Command = {
  name: 'replay',
  about: 'decide a recording again, with no model and no tool, and compare it byte by byte',
  positionals: [{ name: 'RUN' }],
  options: {
    step: { value: 'N', about: 'how each entry of this step was replayed too' },
  },
  details:
    'RUN is a whole id, the beginning of one, or last; it may have ended or be under way, and nothing is changed. Policy and tools are those of the configuration; without one, what the store has kept of the tools is used, and what it cannot tell is named. Exit code 1 when there is a difference.',
  examples: ['axle replay last', 'axle replay run_0fj3k --step 3', 'axle replay last --json'],
  run: replay,
};

async function replay(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  const step = stepOf(invocation);
  const { replayRun } = await import('../../replay/replay-run.ts');
  const { defaultPolicy } = await import('../../policy/default-policy.ts');
  const config = await place.knownConfig();
  const policy = (known: AxleConfig): AxleConfig['policy'] => known.policy ?? defaultPolicy;
  return withClientStore(place, async (store) => {
    const { runId } = await findRun(store, invocation.argument(0));
    const report = await replayRun(runId, step === undefined ? {} : { step }, {
      store,
      contract: contractLookup(config),
      retained: () => undefined,
      policy: config === undefined ? undefined : policy(config),
    });
    if (terminal.isJson) terminal.json(report);
    else for (const line of reportLines(report)) terminal.say(oneLine(line));
    return report.isSame ? 'ok' : 'failed';
  });
}

function stepOf({ text, usage }: Invocation): number | undefined {
  const asked = text('step');
  if (asked === undefined) return undefined;
  const step = Number(asked);
  if (!Number.isInteger(step) || step < 0) throw usage(`--step is the number of a step, and not ${asked}.`);
  return step;
}

function reportLines(report: ReplayReport): readonly string[] {
  const { runId, entries, steps, checked, taken, uncheckedCount, difference } = report;
  const head =
    difference === undefined
      ? `${runId} is the same: ${entries} entries, ${steps} steps.`
      : `${runId} differs at entry ${difference.seq}, step ${difference.step}: ${difference.message}`;
  const counted = `  ${checked} recomputed byte for byte, ${taken} facts from outside, ${uncheckedCount} that could not be recomputed`;
  return [
    head,
    ...(difference === undefined ? [] : differenceLines(difference)),
    counted,
    ...report.unchecked.map(({ seq, type, reason }) => `  not recomputed: ${seq} ${type}: ${reason}`),
    ...(report.step ?? []).map(entryLine),
  ];
}

function differenceLines({ law, type, path, recorded, recomputed }: ReplayDifference): readonly string[] {
  const place = `  found by ${law}${type === undefined ? '' : ` in ${type}`}${path === '' ? '' : ` at ${path}`}`;
  return [
    place,
    ...(recorded === undefined ? [] : [`  recorded:   ${valueText(recorded)}`]),
    ...(recomputed === undefined ? [] : [`  recomputed: ${valueText(recomputed)}`]),
  ];
}

function entryLine({ seq, type, how }: ReplayedEntry): string {
  return `  ${String(seq).padStart(5)} ${how.padEnd(9)} ${type}`;
}
