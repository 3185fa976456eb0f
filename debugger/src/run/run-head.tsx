/** What a run is and where it stands, in two lines. */
import { Link } from '@tanstack/react-router';
import type { WaitReason } from '../../../src/journal/store.ts';
import type { RunRow } from '../../../src/server/wire.ts';
import { countedText, countText } from '../words/count-text.ts';
import { Foreign, lineOf } from '../words/foreign.tsx';
import { runStatus, StatusMark } from '../words/status.tsx';
import { distanceText, durationText } from '../words/time-text.ts';
import { RunActions } from './run-actions.tsx';
import type { Liveness } from './run-feed.ts';
import { Moment } from '../words/moment.tsx';

export interface RunHeadProps {
  readonly runId: string;
  readonly run: RunRow | undefined;
  readonly liveness: Liveness;
  /** The step that is looked at. */
  readonly step: number | undefined;
}

export function RunHead({ runId, run, liveness, step }: RunHeadProps): React.ReactNode {
  return (
    <header className="run-head">
      <div className="run-line">
        <Link to="/runs" className="run-back" aria-label="Back to the runs">
          Runs
        </Link>
        <span className="faint" aria-hidden="true">
          /
        </span>
        <h1 className="run-title cut" title={run === undefined ? runId : lineOf(run.goal ?? runId)}>
          <Foreign text={run?.subject ?? runId} longest={80} />
          {run?.goal === undefined ? undefined : (
            <span className="run-goal">
              <Foreign text={run.goal} longest={240} />
            </span>
          )}
        </h1>
        {run === undefined ? undefined : <StatusMark status={runStatus(run)} />}
        <LiveMark liveness={liveness} />
        {run === undefined ? undefined : <RunActions run={run} step={step} />}
      </div>
      <dl className="facts">
        <Fact name="Run">
          <code>{lineOf(runId, 80)}</code>
        </Fact>
        {run === undefined ? undefined : <Facts run={run} />}
      </dl>
    </header>
  );
}

function Facts({ run }: { readonly run: RunRow }): React.ReactNode {
  const { createdAtMs, updatedAtMs, steps, totals, session, waitingOn, epoch } = run;
  return (
    <>
      <Fact name="Started">
        <Moment atMs={createdAtMs} />
      </Fact>
      <Fact name="Took">{durationText(Math.max(0, updatedAtMs - createdAtMs))}</Fact>
      <Fact name="Steps">{steps}</Fact>
      {totals === undefined ? undefined : (
        <>
          <Fact name="Calls">
            {totals.toolCalls}
            {totals.attempts > totals.toolCalls ? ` in ${countedText(totals.attempts, 'attempt')}` : ''}
          </Fact>
          <Fact name="Tokens">
            {countText(totals.inputTokens)} in
            {totals.cachedInputTokens > 0 ? ` (${countText(totals.cachedInputTokens)} cached)` : ''},{' '}
            {countText(totals.outputTokens)} out
          </Fact>
          {totals.errors > 0 ? (
            <Fact name="Errors" tone="bad">
              {totals.errors}
            </Fact>
          ) : undefined}
        </>
      )}
      {epoch > 1 ? <Fact name="Drivers">{epoch}</Fact> : undefined}
      {session === undefined ? undefined : (
        <Fact name="Session">
          <Link to="/runs" search={{ session }}>
            <Foreign text={session} longest={60} />
          </Link>
        </Fact>
      )}
      {waitingOn.map((reason) => (
        <Fact key={JSON.stringify(reason)} name="Waits for" tone={reason.kind === 'doubt' ? 'doubt' : 'warn'}>
          {waitWords(reason)}
        </Fact>
      ))}
    </>
  );
}

function Fact(props: {
  readonly name: string;
  readonly tone?: string;
  readonly children: React.ReactNode;
}): React.ReactNode {
  const { name, tone, children } = props;
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd className={tone === undefined ? 'figure' : `figure tone-${tone}`}>{children}</dd>
    </div>
  );
}

function waitWords(reason: WaitReason): string {
  switch (reason.kind) {
    case 'approval':
      return `approval of call ${lineOf(reason.callId, 20)}, expires ${distanceText(reason.expiresAtMs)}`;
    case 'authorization':
      return `permission at ${lineOf(reason.upstream, 60)}: ${lineOf(reason.message, 160)}`;
    case 'doubt':
      return `what became of call ${lineOf(reason.callId, 20)}`;
    case 'timer':
      return `a time: ${distanceText(reason.dueAtMs)}`;
    case 'message':
      return 'a message';
    case 'held':
      return lineOf(reason.reason, 160);
  }
}

function LiveMark({ liveness }: { readonly liveness: Liveness }): React.ReactNode {
  switch (liveness) {
    case 'live':
      return <span className="live tone-busy">live</span>;
    case 'lost':
      return <span className="live tone-warn">line lost, trying again</span>;
    case 'polled':
      return <span className="live tone-calm">looked at every 2 s</span>;
    case 'connecting':
    case 'ended':
      return undefined;
  }
}
