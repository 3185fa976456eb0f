/** One line of the conversation. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Outcome } from '../../../src/call/outcome.ts';
import type { TranscriptLine } from '../../../src/trace/story/transcript.ts';
import { TextView, ValueView } from '../json/value-view.tsx';
import { DecisionBox, FailureBox } from '../span/parts.tsx';
import { lineOf } from '../words/foreign.tsx';
import { StatusMark } from '../words/status.tsx';
import { clockText } from '../words/time-text.ts';
import { Moment } from '../words/moment.tsx';

export interface LineProps {
  readonly runId: string;
  readonly line: TranscriptLine;
  /** How the span of the line stands. */
  readonly status: string;
  readonly isSelected: boolean;
}

const speakers: Readonly<Record<Exclude<TranscriptLine['kind'], 'call'>, string>> = {
  goal: 'asked',
  message: 'message',
  reasoning: 'model thinks',
  answer: 'model',
  fault: 'model',
  usage: 'model',
  cancel: 'cancelled',
  end: 'end',
};

export function Line({ runId, line, status, isSelected }: LineProps): React.ReactNode {
  const time = <LineTime runId={runId} line={line} />;
  if (line.kind === 'call') {
    return (
      <article className={`line call ${isSelected ? 'selected' : ''}`}>
        <CallCard line={line} status={status} time={time} />
      </article>
    );
  }
  return (
    <article className={`line ${line.kind} ${isSelected ? 'selected' : ''}`}>
      <header className="line-head">
        <b>{speakers[line.kind]}</b>
        {'step' in line ? <span className="faint">step {line.step}</span> : undefined}
        {time}
      </header>
      <Body line={line} />
    </article>
  );
}

function LineTime({ runId, line }: Pick<LineProps, 'runId' | 'line'>): React.ReactNode {
  return (
    <Link to="/runs/$runId" params={{ runId }} search={{ span: line.spanId }} className="line-time">
      <Moment className="figure" atMs={line.atMs}>
        {clockText(line.atMs)}
      </Moment>
    </Link>
  );
}

function Body({ line }: { readonly line: Exclude<TranscriptLine, { kind: 'call' }> }): React.ReactNode {
  switch (line.kind) {
    case 'goal':
      return (
        <div className="line-text">
          <ValueView label="Goal" value={line.input} />
        </div>
      );
    case 'message':
    case 'reasoning':
    case 'answer':
      return (
        <div className={`line-text ${line.kind}`}>
          <TextView text={line.text} />
        </div>
      );
    case 'fault':
      return line.failure === undefined ? (
        <p className="tone-bad">{lineOf(line.text, 2_000)}</p>
      ) : (
        <FailureBox failure={line.failure} />
      );
    case 'cancel':
      return (
        <p>
          {lineOf(line.reason, 800)}
          {line.by === undefined ? '' : ` (${lineOf(line.by, 80)})`}
        </p>
      );
    case 'end':
      return (
        <>
          <StatusMark status={line.ending} />
          {line.failure === undefined ? undefined : <FailureBox failure={line.failure} />}
          {line.output === null ? undefined : <ValueView label="Output" value={line.output} />}
        </>
      );
    case 'usage':
      return undefined;
  }
}

interface CallCardProps {
  readonly line: Extract<TranscriptLine, { kind: 'call' }>;
  readonly status: string;
  readonly time: React.ReactNode;
}

function CallCard({ line, status, time }: CallCardProps): React.ReactNode {
  const { tool, input, argumentsText, outcome, decision, attempts } = line;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="call-card">
      <div className="call-line">
        <button type="button" className="call-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className={isOpen ? 'twist open' : 'twist'} aria-hidden="true">
            <svg viewBox="0 0 10 10" width="10" height="10" className="shape">
              <path d="M3.5 2l3 3-3 3" />
            </svg>
          </span>
          <b>{lineOf(tool, 80)}</b>
          <code className="cut">
            {lineOf(input === undefined ? (argumentsText ?? '') : JSON.stringify(input), 160)}
          </code>
          {attempts > 1 ? <span className="tag">{attempts} attempts</span> : undefined}
          <StatusMark status={status} />
        </button>
        {time}
      </div>
      {isOpen ? undefined : <Gist outcome={outcome} />}
      {isOpen ? (
        <div className="call-body">
          {decision === undefined ? undefined : <DecisionBox decision={decision} />}
          {input === undefined ? (
            <TextView text={argumentsText ?? ''} />
          ) : (
            <section aria-label="Input">
              <h3>Input</h3>
              <ValueView label="Input" value={input} depth={3} />
            </section>
          )}
          <OutcomeView outcome={outcome} />
        </div>
      ) : undefined}
    </div>
  );
}

/** What came of a call in one line. */
function Gist({ outcome }: { readonly outcome: Outcome | undefined }): React.ReactNode {
  if (outcome === undefined) return undefined;
  const words =
    outcome.status === 'succeeded'
      ? JSON.stringify(outcome.output)
      : outcome.status === 'failed'
        ? `${outcome.failure.code}: ${outcome.failure.message}`
        : outcome.reason;
  return <p className={outcome.status === 'succeeded' ? 'gist' : 'gist tone-bad'}>{lineOf(words, 240)}</p>;
}

function OutcomeView({ outcome }: { readonly outcome: Outcome | undefined }): React.ReactNode {
  if (outcome === undefined) return <p className="faint">It has not ended yet.</p>;
  switch (outcome.status) {
    case 'succeeded':
      return (
        <section aria-label="Output">
          <h3>Output</h3>
          <ValueView label="Output" value={outcome.output} depth={3} />
        </section>
      );
    case 'failed':
      return <FailureBox failure={outcome.failure} />;
    default:
      return <p>{lineOf(outcome.reason, 800)}</p>;
  }
}
