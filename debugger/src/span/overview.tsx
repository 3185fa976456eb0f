/** What a span is, where it stands, and why: the first thing that is looked at. */
import { Link } from '@tanstack/react-router';
import type { SpanDetail } from '../../../src/inspect/span-detail.ts';
import { driftWords } from '../../../src/trace/drift-words.ts';
import type {
  CallSpan,
  DoubtSpan,
  GapSpan,
  MarkSpan,
  ModelAttemptSpan,
  Span,
  StandInMark,
  Waited,
  WaitSpan,
} from '../../../src/trace/trace.ts';
import { ValueView } from '../json/value-view.tsx';
import { kindLook } from '../table/kinds.tsx';
import { durationOf, type RunTable } from '../table/run-table.ts';
import { countedText } from '../words/count-text.ts';
import { Elapsed } from '../words/elapsed.tsx';
import { ForeignLines, lineOf } from '../words/foreign.tsx';
import { Pair } from '../words/pair.tsx';
import { durationText, isoText, momentText, offsetText } from '../words/time-text.ts';
import { DecisionBox, FailureBox } from './parts.tsx';
import { Timing } from './timing.tsx';
import { Moment } from '../words/moment.tsx';
import { CopyButton } from '../app/copy-button.tsx';

export interface OverviewProps {
  readonly table: RunTable;
  readonly row: number;
  /** Undefined until it is there. */
  readonly detail: SpanDetail | undefined;
  readonly onChoose: (row: number) => void;
}

export function Overview({ table, row, detail, onChoose }: OverviewProps): React.ReactNode {
  const { columns } = table;
  const span = columns.row(row);
  if (span === undefined) return undefined;
  const startMs = columns.startMs + span.start;
  return (
    <>
      {detail?.span === undefined ? undefined : <What span={detail.span} />}
      <dl className="pairs">
        <Pair name="Kind">{kindLook(span.kind).title}</Pair>
        <Pair name="Began">
          <Moment atMs={startMs}>{isoText(startMs)}</Moment> <span className="faint">{offsetText(span.start)}</span>
        </Pair>
        <Pair name={span.duration < 0 ? 'Going on for' : 'Took'}>
          {span.duration < 0 && !columns.ended ? (
            <Elapsed sinceMs={startMs} leastMs={durationOf(table, row)} />
          ) : (
            durationText(durationOf(table, row))
          )}
        </Pair>
        {span.inputTokens + span.outputTokens === 0 ? undefined : (
          <Pair name="Tokens">
            {span.inputTokens.toLocaleString('en')} in, {span.outputTokens.toLocaleString('en')} out
          </Pair>
        )}
        {span.attempts > 1 ? <Pair name="Attempts">{span.attempts}</Pair> : undefined}
        {detail?.span === undefined ? undefined : <MoreFacts span={detail.span} />}
        {detail?.idempotencyKey === undefined ? undefined : (
          <Pair name="Idempotency key">
            <code>{detail.idempotencyKey}</code> <CopyButton text={detail.idempotencyKey} what="Key" />
          </Pair>
        )}
        <Pair name="Span">
          <code>{lineOf(span.id, 100)}</code>
        </Pair>
        <Pair name="Entries">
          <Link to="/runs/$runId/raw" params={{ runId: columns.runId }} search={{ seq: String(span.seq0) }}>
            {entryWords(detail, span.seq0)}
          </Link>
        </Pair>
      </dl>
      <Timing table={table} row={row} onChoose={onChoose} />
    </>
  );
}

function entryWords(detail: SpanDetail | undefined, first: number): string {
  const seqs = detail?.entries.map(({ seq }) => seq) ?? [first];
  return seqs.length <= 12 ? seqs.join(', ') : `${seqs.slice(0, 12).join(', ')} and ${seqs.length - 12} more`;
}

/** What there is to say of a span before its figures. */
function What({ span }: { readonly span: Span }): React.ReactNode {
  switch (span.kind) {
    case 'call':
      return <CallWhat span={span} />;
    case 'model-attempt':
      return <ModelWhat span={span} />;
    case 'attempt':
      if (span.end?.status === 'lost') return <Lost what="it" lastSeenMs={span.end.lastSeenMs} />;
      if (span.end?.status !== 'failed') return undefined;
      return (
        <>
          <FailureBox failure={span.end.failure} />
          {span.end.drift === undefined ? undefined : (
            <section aria-label="Drift">
              <h3>It answered in another form than declared</h3>
              <ForeignLines text={driftWords(span.end.drift).join('\n')} />
              <ValueView label="What came" value={span.end.drift.raw} />
            </section>
          )}
        </>
      );
    case 'evidence':
      return span.result.status === 'failed' ? <FailureBox failure={span.result.failure} /> : undefined;
    case 'refused-by-upstream':
      return <FailureBox failure={span.failure} />;
    case 'wait':
      return <WaitWhat span={span} />;
    case 'doubt':
      return <DoubtWhat span={span} />;
    case 'verify':
      return span.end?.status === 'answered' ? (
        <ValueView label="Verdict" value={{ ...span.end.verdict }} />
      ) : undefined;
    case 'gap':
      return <p className="note">{gapWords(span)}</p>;
    case 'mark':
      return <MarkWhat span={span} />;
    case 'breaker':
      return (
        <p className="note">
          {lineOf(span.upstream, 60)}: {span.from} → {span.to}. {lineOf(span.reason, 300)}
        </p>
      );
    case 'stand-in':
      return <StandInWhat span={span} />;
    case 'model':
      return undefined;
  }
}

function Lost({ what, lastSeenMs }: { readonly what: string; readonly lastSeenMs: number }): React.ReactNode {
  return (
    <p className="note">
      The driver was lost while {what} was at work; last seen {momentText(lastSeenMs)}.
    </p>
  );
}

function CallWhat({ span }: { readonly span: CallSpan }): React.ReactNode {
  const { outcome, refusal, decision, cached, undoneBy } = span;
  return (
    <>
      {refusal === undefined ? undefined : refusal.dropped ? (
        <p className="note">Left out: a repetition of a call of the same turn.</p>
      ) : (
        <FailureBox failure={refusal.failure} />
      )}
      {outcome?.status === 'failed' && refusal === undefined ? <FailureBox failure={outcome.failure} /> : undefined}
      {outcome !== undefined && outcome.status !== 'failed' && outcome.status !== 'succeeded' ? (
        <p className="note">{lineOf(outcome.reason, 800)}</p>
      ) : undefined}
      {cached === undefined ? undefined : (
        <p className="note">
          Answered by a kept result, {durationText(cached.ageMs)} old, of{' '}
          <Link to="/runs/$runId" params={{ runId: cached.runId }} search={{ span: `call.${cached.callId}` }}>
            call {lineOf(cached.callId, 20)}
          </Link>
        </p>
      )}
      {undoneBy === undefined ? undefined : (
        <p className="note">
          Taken back by{' '}
          <Link to="/runs/$runId" params={{ runId: undoneBy }}>
            {lineOf(undoneBy, 60)}
          </Link>
        </p>
      )}
      {decision === undefined ? undefined : <DecisionBox decision={decision} />}
    </>
  );
}

function ModelWhat({ span }: { readonly span: ModelAttemptSpan }): React.ReactNode {
  const { end } = span;
  if (end === undefined) return undefined;
  if (end.status === 'lost') return <Lost what="the model" lastSeenMs={end.lastSeenMs} />;
  if (end.status === 'failed') return <FailureBox failure={end.failure} />;
  return end.unreadable === undefined ? undefined : (
    <p className="note">Its answer could not be used: {lineOf(end.unreadable, 800)}</p>
  );
}

function WaitWhat({ span: { on } }: { readonly span: WaitSpan }): React.ReactNode {
  switch (on.kind) {
    case 'approval':
      return (
        <>
          <p className="note">Asked because: {lineOf(on.reason, 800)}</p>
          {on.answer === undefined ? (
            <p>
              <Link to="/inbox" search={{ item: on.approvalId }}>
                Answer it in the inbox
              </Link>
            </p>
          ) : on.answer.verdict === 'expired' ? (
            <p>Nobody answered in time.</p>
          ) : (
            <p>
              <b>{on.answer.verdict === 'approve' ? 'Approved' : 'Denied'}</b>
              {on.answer.by === undefined ? '' : ` by ${lineOf(on.answer.by, 80)}`}
              {on.answer.edited ? ', with other arguments' : ''}
              {on.answer.note === undefined ? '' : `: ${lineOf(on.answer.note, 800)}`}
            </p>
          )}
        </>
      );
    case 'authorization':
      return <AuthorizationWhat on={on} />;
    case 'upstream':
      return <p className="note">In the queue of {lineOf(placesOf(on), 160)}.</p>;
    case 'retry':
      return (
        <p className="note">
          Back-off before attempt {on.attempt}, due {momentText(on.dueAtMs)}.
        </p>
      );
    case 'code':
      return (
        <p className="note">
          {lineOf(on.reason, 600)} {lineOf(on.remedy, 600)}
        </p>
      );
    case 'verify':
      return <p className="note">Until then `verify` could not be believed: {momentText(on.dueAtMs)}.</p>;
    default:
      return undefined;
  }
}

function AuthorizationWhat({
  on,
}: {
  readonly on: Extract<WaitSpan['on'], { kind: 'authorization' }>;
}): React.ReactNode {
  const { upstream, authorizationId, answer } = on;
  const by = answer !== undefined && 'by' in answer ? answer.by : undefined;
  const note = answer !== undefined && 'note' in answer ? answer.note : undefined;
  return (
    <>
      <p className="note">A person has to give permission at {lineOf(upstream, 80)}.</p>
      {answer === undefined ? (
        <p>
          <Link to="/inbox" search={{ item: authorizationId }}>
            Answer it in the inbox
          </Link>
        </p>
      ) : (
        <p>
          <b>{answer.verdict}</b>
          {by === undefined ? '' : ` by ${lineOf(by, 80)}`}
          {note === undefined ? '' : `: ${lineOf(note, 800)}`}
        </p>
      )}
    </>
  );
}

function DoubtWhat({ span }: { readonly span: DoubtSpan }): React.ReactNode {
  const { reason, attempt, resolution } = span;
  return (
    <>
      <p className="note doubt">
        {reason === 'crash'
          ? `The process was lost during attempt ${attempt}.`
          : `Attempt ${attempt} was sent, and no answer came.`}{' '}
        Nobody knew whether it happened.
      </p>
      {resolution === undefined ? undefined : (
        <>
          <p>
            <b>Settled by {resolution.by}</b>
            {resolution.note === undefined ? '' : `: ${lineOf(resolution.note, 800)}`}
          </p>
          <ValueView label="Verdict" value={{ ...resolution.verdict }} />
        </>
      )}
    </>
  );
}

/** What an attempt waits at before it begins: an upstream, locks, or both. */
function placesOf({ upstream, locks = [] }: Waited): string {
  return [...(upstream === undefined ? [] : [upstream]), ...locks.map((lock) => `lock ${lock}`)].join(', ');
}

const gapCauses: Readonly<Record<GapSpan['cause'], string>> = {
  'no-driver-yet': 'Accepted, and no driver had taken it yet.',
  'driver-left': 'The driver left in order; nothing was under way.',
  'driver-changed': 'Work was under way when its driver was gone: its process ended, or another one took the run over.',
};

function gapWords({ cause, lost, takenByEpoch }: GapSpan): string {
  const cut =
    lost.length === 0
      ? ''
      : ` It cut off ${lost.length === 1 ? 'one span' : `${lost.length} spans`}: ${lineOf(lost.join(', '), 300)}.`;
  return `${gapCauses[cause]}${cut} Taken over in epoch ${takenByEpoch}.`;
}

function MarkWhat({ span: { mark } }: { readonly span: MarkSpan }): React.ReactNode {
  switch (mark.kind) {
    case 'message':
      return <ForeignLines text={mark.text} />;
    case 'post-refused':
      return <FailureBox failure={mark.failure} />;
    default:
      return <ValueView label="Note" value={{ ...mark }} />;
  }
}

function StandInWhat({ span }: { readonly span: StandInMark }): React.ReactNode {
  return (
    <>
      <p className="note">From here on {lineOf(span.tool, 80)} has the call.</p>
      {span.skipped.map(({ tool, reason }) => (
        <p key={tool} className="soft">
          {lineOf(tool, 80)} was passed over: {lineOf(reason, 300)}
        </p>
      ))}
      {span.decision === undefined ? undefined : <DecisionBox decision={span.decision} />}
    </>
  );
}

function MoreFacts({ span }: { readonly span: Span }): React.ReactNode {
  switch (span.kind) {
    case 'call':
      return (
        <>
          <Pair name="Call">
            <code>{lineOf(span.callId, 40)}</code>
          </Pair>
          <Pair name="Tool">
            <Link to="/tools" search={{ tool: span.tool }}>
              {lineOf(span.tool, 80)}
            </Link>
          </Pair>
          {span.effect === undefined ? undefined : <Pair name="Effect">{span.effect}</Pair>}
        </>
      );
    case 'attempt':
      return (
        <>
          {span.sandbox === undefined ? undefined : <Pair name="Sandbox">{lineOf(span.sandbox, 80)}</Pair>}
          {span.admission === undefined ? undefined : (
            <Pair name="Let in by">
              {lineOf(placesOf(span.admission), 160)}, waited {durationText(span.admission.waitedMs)}
              {span.admission.isProbe ? ', the one that tried' : ''}
            </Pair>
          )}
          <Pair name="Epoch">{span.epoch}</Pair>
        </>
      );
    case 'model-attempt':
      return (
        <>
          <Pair name="Saw">
            {countedText(span.items, 'item')}
            {span.shownTools === undefined ? '' : `, ${countedText(span.shownTools, 'tool')}`}
          </Pair>
          <Pair name="Context">
            <code>{lineOf(span.contextHash, 80)}</code>
          </Pair>
          {span.end?.status === 'answered' ? <Pair name="Stopped">{span.end.finishReason}</Pair> : undefined}
          {span.end?.status === 'answered' && span.end.respondedAs !== undefined ? (
            <Pair name="Answered as">{lineOf(span.end.respondedAs, 80)}</Pair>
          ) : undefined}
        </>
      );
    default:
      return undefined;
  }
}
