/** Parts that all questions are made of. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lineOf } from '../words/foreign.tsx';
import { distanceText } from '../words/time-text.ts';
import { Pair } from '../words/pair.tsx';
import { refreshInbox } from './items.ts';
import type { Answering } from './use-answer.ts';
import { Moment } from '../words/moment.tsx';

export interface OfRun {
  readonly runId: string;
  readonly callId?: string;
  readonly subject: string;
  readonly goal?: string;
}

/** Where a question comes from. */
export function Origin({
  of,
  atMs,
  what,
}: {
  readonly of: OfRun;
  readonly atMs: number | undefined;
  readonly what: string;
}): React.ReactNode {
  const { runId, callId, subject, goal } = of;
  return (
    <dl className="pairs">
      <Pair name="Run">
        <Link to="/runs/$runId" params={{ runId }} search={callId === undefined ? {} : { span: `call.${callId}` }}>
          {lineOf(runId, 80)}
        </Link>
        {callId === undefined ? undefined : <span className="faint"> call {lineOf(callId, 20)}</span>}
      </Pair>
      <Pair name="Of">
        {lineOf(subject, 80)}
        {goal === undefined ? undefined : <span className="faint">: {lineOf(goal, 300)}</span>}
      </Pair>
      {atMs === undefined ? undefined : (
        <Pair name={what}>
          <Moment atMs={atMs} />
          <span className="faint"> {distanceText(atMs)}</span>
        </Pair>
      )}
    </dl>
  );
}

/** What a model says of its own call is no fact, and looks like none. */
export function Claim({ text }: { readonly text: string }): React.ReactNode {
  return (
    <figure className="claim">
      <figcaption>What the model wrote beside it. Its own words, nobody has checked them:</figcaption>
      <blockquote>
        <bdi className="foreign foreign-lines">{lineOf(text, 2_000)}</bdi>
      </blockquote>
    </figure>
  );
}

/** What stands above the buttons of a question: a note, and why an answer was not taken or may not be given. */
export function AnswerFoot({
  answering: { note, setNote, fault, forbidden },
}: {
  readonly answering: Pick<Answering<never>, 'note' | 'setNote' | 'fault' | 'forbidden'>;
}): React.ReactNode {
  return (
    <>
      <NoteField value={note} onChange={setNote} />
      <Fault fault={fault} />
      {forbidden === undefined ? undefined : <p className="faint">{forbidden}</p>}
    </>
  );
}

function Fault({
  fault,
}: {
  readonly fault: { readonly words: string; readonly isOver: boolean } | undefined;
}): React.ReactNode {
  const queries = useQueryClient();
  if (fault === undefined) return undefined;
  return (
    <div role="alert" className="card-fault">
      <p>{lineOf(fault.words, 800)}</p>
      {fault.isOver ? (
        <button
          type="button"
          className="button small"
          onClick={() => {
            void refreshInbox(queries);
          }}
        >
          See what is open now
        </button>
      ) : undefined}
    </div>
  );
}

function NoteField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}): React.ReactNode {
  return (
    <label className="card-note">
      Note <span className="faint">(kept in the journal; the model is told it when the answer is no)</span>
      <input
        className="field"
        type="text"
        maxLength={10_000}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
