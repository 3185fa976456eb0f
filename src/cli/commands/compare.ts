import type { ComparedRun, RunComparison, StepComparison, StepDifference } from '../../replay/run-comparison.ts';
import { durationText } from '../../trace/duration-text.ts';
import { valueText } from '../../trace/span-words.ts';
import { oneLine } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { withClientStore } from '../store-place.ts';

export const compareCommand: Command = {
  name: 'compare',
  about: 'show two runs side by side: where they part, and in what their steps differ',
  positionals: [{ name: 'RUN' }, { name: 'OTHER' }],
  options: {},
  details:
    'RUN and OTHER are whole ids, the beginning of one, or last. A fork and the run that it goes on from share the steps before it.',
  examples: ['axle compare run_0fj3k last', 'axle compare run_0fj3k run_9d2xq --json'],
  run: compare,
};

/** Differences of a step that are printed; --json has them all. */
const maxPrinted = 8;

async function compare({ terminal, place, argument }: Invocation): Promise<ExitName> {
  const { compareRuns } = await import('../../replay/compare-runs.ts');
  await withClientStore(place, async (store) => {
    const [left, right] = [await findRun(store, argument(0)), await findRun(store, argument(1))];
    const comparison = await compareRuns(store, left.runId, right.runId);
    if (terminal.isJson) terminal.json(comparison);
    else for (const line of comparisonLines(comparison)) terminal.say(oneLine(line));
  });
  return 'ok';
}

function comparisonLines({ left, right, shared, divergence, steps }: RunComparison): readonly string[] {
  return [
    `left   ${runText(left)}`,
    `right  ${runText(right)}`,
    ...(shared === undefined
      ? []
      : [`both begin with ${shared.steps} ${shared.steps === 1 ? 'step' : 'steps'} of ${shared.runId}`]),
    divergence === undefined
      ? 'they never part'
      : `they part at step ${divergence.step}: another ${wordOf(divergence.what)}`,
    '',
    ...steps.flatMap((step) => stepLines(step, step.step === divergence?.step)),
  ];
}

function wordOf(what: NonNullable<RunComparison['divergence']>['what']): string {
  return what === 'calls' ? 'call' : what;
}

function runText({
  runId,
  kind,
  subject,
  model,
  ending,
  steps,
  inputTokens,
  outputTokens,
  workedMs,
  fork,
}: ComparedRun): string {
  const of = fork === undefined ? '' : `, fork of ${fork.of} at step ${fork.step}`;
  const by = model === undefined ? '' : ` (${model})`;
  return `${runId}  ${kind} ${subject}${by}  ${ending ?? 'has not ended'}, ${steps} steps, ${inputTokens} + ${outputTokens} tokens, ${durationText(workedMs)}${of}`;
}

function stepLines(
  { step, left, right, isSame, differences, blocks }: StepComparison,
  parts: boolean,
): readonly string[] {
  const sign = parts ? '>>' : isSame ? '  ' : '* ';
  const only = left === undefined ? ' (right only)' : right === undefined ? ' (left only)' : '';
  const calls = (right ?? left)?.calls
    .map(({ tool, isRecorded }) => `${tool}${isRecorded ? ' (recorded)' : ''}`)
    .join(', ');
  const head = `${sign} step ${step}${only}: ${isSame ? 'the same' : 'differs'}${calls === undefined || calls === '' ? '' : `, ${calls}`}`;
  const lines = [
    ...blocks.map(
      ({ kind, index, change, ...sides }) =>
        `${kind}${index === undefined ? '' : ` ${index}`} ${change}: ${sidesText(sides)}`,
    ),
    ...differences.filter(({ what }) => what !== 'context').map(differenceText),
  ];
  const more = lines.length > maxPrinted ? [`       ... ${lines.length - maxPrinted} more; --json has them all`] : [];
  return [head, ...lines.slice(0, maxPrinted).map((line) => `       ${line}`), ...more];
}

function differenceText({ what, call, path, ...sides }: StepDifference): string {
  const place = `${call === undefined ? '' : ` of call ${call}`}${path === undefined || path === '' ? '' : ` at ${path}`}`;
  return `${what}${place}: ${sidesText(sides)}`;
}

function sidesText({ left, right }: Pick<StepDifference, 'left' | 'right'>): string {
  const [was, is] = [left, right].map((value) => (value === undefined ? 'nothing' : valueText(value, 80)));
  return `${was} | ${is}`;
}
