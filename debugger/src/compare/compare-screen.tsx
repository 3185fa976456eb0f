/** Two runs side by side, step by step: where they part, and in what. */
import './compare.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ComparedRun, RunComparison } from '../../../src/replay/run-comparison.ts';
import { withSearch } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { ValueView } from '../json/value-view.tsx';
import { TallList } from '../rows/tall-list.tsx';
import { askJson } from '../wire/request.ts';
import { countedText, countText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';
import { StatusMark } from '../words/status.tsx';
import { durationText } from '../words/time-text.ts';
import { ComparedStepView } from './compared-step.tsx';

export function CompareScreen(): React.ReactNode {
  const { runId, other } = useParams({ from: '/runs/$runId/compare/$other' });
  const { data, error, refetch } = useQuery({
    queryKey: ['compare', runId, other],
    queryFn: ({ signal }) =>
      askJson<RunComparison>(withSearch('/v1/compare', { left: runId, right: other }), { signal }),
  });
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  if (data === undefined) {
    return (
      <div className="compare">
        <header className="screen-head">
          <h1>Compare</h1>
        </header>
        {error === null ? <Loading what="the comparison" /> : <Failed error={error} onRetry={() => void refetch()} />}
      </div>
    );
  }
  const { left, right, steps, divergence } = data;
  const shown = onlyDifferent ? steps.filter((step) => !step.isSame) : steps;
  return (
    <div className="compare">
      <header className="screen-head">
        <h1>Compare</h1>
        <Verdict comparison={data} />
        <label className="check">
          <input type="checkbox" checked={onlyDifferent} onChange={({ target }) => setOnlyDifferent(target.checked)} />
          only steps that differ
        </label>
      </header>
      <div className="compare-heads">
        <Side run={left} side="Left" />
        <Side run={right} side="Right" />
      </div>
      <TallList
        label="Steps"
        count={shown.length + 1}
        guessPx={120}
        keyOf={(place) => shown[place]?.step ?? 'ending'}
        shown={divergence === undefined ? undefined : shown.findIndex(({ step }) => step === divergence.step)}
        render={(place) => {
          const step = shown[place];
          if (step === undefined) return <Endings left={left} right={right} />;
          const isParting = step.step === divergence?.step;
          return <ComparedStepView left={left.runId} right={right.runId} step={step} isParting={isParting} />;
        }}
      />
    </div>
  );
}

function Verdict({ comparison }: { readonly comparison: RunComparison }): React.ReactNode {
  const { divergence, shared, steps } = comparison;
  return (
    <p>
      {divergence === undefined ? (
        <span className="tone-good">They never part: {countedText(steps.length, 'step')}, and the same ending.</span>
      ) : (
        <span className="tone-warn">
          They part in step {divergence.step}:{' '}
          {divergence.what === 'ending' ? 'only the ending differs' : `the ${divergence.what}`}.
        </span>
      )}
      {shared === undefined ? undefined : (
        <span className="faint">
          {' '}
          The first {countedText(shared.steps, 'step')} of both come from {lineOf(shared.runId, 60)}.
        </span>
      )}
    </p>
  );
}

function Side({ run, side }: { readonly run: ComparedRun; readonly side: string }): React.ReactNode {
  const { runId, subject, model, fork, ending, steps, inputTokens, outputTokens, workedMs } = run;
  return (
    <section className="compare-head" aria-label={side}>
      <p>
        <b>{lineOf(subject, 60)}</b> <EndingMark ending={ending} />
      </p>
      <p>
        <Link to="/runs/$runId" params={{ runId }}>
          {lineOf(runId, 60)}
        </Link>
        {fork === undefined ? undefined : (
          <span className="faint">
            {' '}
            fork of {lineOf(fork.of, 60)} from step {fork.step}
          </span>
        )}
      </p>
      <p className="faint figure">
        {model === undefined ? '' : `${lineOf(model, 60)}, `}
        {countedText(steps, 'step')}, {countText(inputTokens)} tokens in, {countText(outputTokens)} out,{' '}
        {durationText(workedMs)} of work
      </p>
    </section>
  );
}

/** How a run ended. Of one that has not, a comparison does not know whether it is at work or waits. */
function EndingMark({ ending }: { readonly ending: ComparedRun['ending'] | undefined }): React.ReactNode {
  return ending === undefined ? <span className="faint">has not ended</span> : <StatusMark status={ending} />;
}

function Endings({ left, right }: { readonly left: ComparedRun; readonly right: ComparedRun }): React.ReactNode {
  return (
    <article className="compared">
      <h2 className="compared-title">Ending</h2>
      <div className="compared-sides">
        <Ending run={left} label="Output of the left run" />
        <Ending run={right} label="Output of the right run" />
      </div>
    </article>
  );
}

function Ending({ run, label }: { readonly run: ComparedRun; readonly label: string }): React.ReactNode {
  const { ending, output } = run;
  return (
    <div>
      <EndingMark ending={ending} />
      {output === undefined || output === null ? undefined : <ValueView label={label} value={output} />}
    </div>
  );
}
