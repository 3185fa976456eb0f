/** A side effect was started, and nobody knows whether it happened. A person finds out and says so. */
import { useState } from 'react';
import type { DoubtItem, DoubtRequest } from '../../../src/server/wire.ts';
import type { JsonValue } from '../../../src/util/json.ts';
import { ValueView } from '../json/value-view.tsx';
import { JsonEditor } from '../schema-form/json-editor.tsx';
import { countedText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';
import { Pair } from '../words/pair.tsx';
import { AnswerFoot, Origin } from './card-parts.tsx';
import { useAnswer } from './use-answer.ts';
import { CopyButton } from '../app/copy-button.tsx';

export interface DoubtCardProps {
  readonly item: DoubtItem;
  readonly onAnswered: (words: string) => void;
}

type Choice = 'happened' | 'retry' | 'fail';

const choices: readonly { readonly choice: Choice; readonly title: string; readonly about: string }[] = [
  {
    choice: 'happened',
    title: 'It happened',
    about: 'The call has succeeded with the result that you enter; it is not made again.',
  },
  {
    choice: 'retry',
    title: 'It did not happen: make it again',
    about: 'A new attempt is made now. Only when you are sure: otherwise it may happen twice.',
  },
  {
    choice: 'fail',
    title: 'It did not happen: leave it',
    about: 'The model is told that nothing happened, and decides what to do.',
  },
];

export function DoubtCard({ item, onAnswered }: DoubtCardProps): React.ReactNode {
  const { id, etag, tool, toolVersion, input, reason, attempt, idempotencyKey, outputSchema } = item;
  const answering = useAnswer<DoubtRequest>(`/v1/doubts/${encodeURIComponent(id)}`, etag, onAnswered);
  const [choice, setChoice] = useState<Choice>();
  const [output, setOutput] = useState<JsonValue | undefined>(null);
  const { answer, isBlocked } = answering;
  const send = (): void => {
    if (choice === 'happened' && output !== undefined) {
      answer({ happened: true, output }, `${lineOf(tool, 60)}: it happened`);
    } else if (choice === 'retry' || choice === 'fail') {
      answer({ happened: false, then: choice }, `${lineOf(tool, 60)}: it did not happen`);
    }
  };
  return (
    <article className="card doubt" aria-label={`Doubt about ${lineOf(tool, 80)}`}>
      <header className="card-head">
        <h2>
          {lineOf(tool, 80)} <span className="faint">version {toolVersion}</span>
        </h2>
        <span className="terms">
          <span className="tag tone-doubt">in doubt</span>
          <span className="tag">effect: {item.effect}</span>
        </span>
      </header>
      <p className="card-why">
        {reason === 'crash'
          ? `The process was lost during attempt ${attempt}, after it had been announced and before an answer was recorded.`
          : `Attempt ${attempt} was sent, and no answer came that says what became of it.`}{' '}
        Look at the other side before you answer.
      </p>
      <Origin of={item} atMs={item.doubtedAtMs} what="In doubt since" />
      <dl className="pairs">
        <Pair name="Find it by">
          <code>{lineOf(idempotencyKey, 200)}</code> <CopyButton text={idempotencyKey} what="Key" />
          <span className="faint"> the idempotency key that was sent with it</span>
        </Pair>
        <Pair name="Attempts">{countedText(attempt, 'attempt')}</Pair>
      </dl>
      <section aria-label="Arguments">
        <header className="card-section">
          <h3>Arguments that were sent</h3>
        </header>
        <ValueView label="Arguments" value={input} mostRows={16} depth={4} />
      </section>
      <fieldset className="choices" disabled={isBlocked}>
        <legend>What became of it?</legend>
        {choices.map((each) => (
          // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- its text is in the element below, where the linter does not look.
          <label key={each.choice} className={choice === each.choice ? 'choice chosen' : 'choice'}>
            <input
              type="radio"
              name="choice"
              checked={choice === each.choice}
              onChange={() => setChoice(each.choice)}
            />
            <span>
              <b>{each.title}</b>
              <span className="faint">{each.about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {choice === 'happened' ? (
        <section aria-label="Result">
          <header className="card-section">
            <h3>Its result, as the tool would have given it</h3>
          </header>
          <JsonEditor label="Result" value={null} schema={outputSchema} onChange={setOutput} />
        </section>
      ) : undefined}
      <AnswerFoot answering={answering} />
      <div className="card-actions">
        <button
          type="button"
          className="button main"
          disabled={isBlocked || choice === undefined || (choice === 'happened' && output === undefined)}
          onClick={send}
        >
          Record this
        </button>
        <span className="faint">cannot be taken back; it becomes an entry of the journal</span>
      </div>
    </article>
  );
}
