/** Parts that say the same of spans of several kinds. */
import type { Repair } from '../../../src/call/call.ts';
import type { Decision } from '../../../src/call/decision.ts';
import type { Failure } from '../../../src/call/outcome.ts';
import type { FilledArgument } from '../../../src/call/publication.ts';
import { ValueView } from '../json/value-view.tsx';
import { lineOf } from '../words/foreign.tsx';
import { durationText } from '../words/time-text.ts';

const evidenceWords = {
  none: 'It is proved that nothing was sent.',
  possible: 'Something may have happened before it failed.',
  unknown: 'Nobody knows whether it happened.',
} as const;

export function FailureBox({ failure }: { readonly failure: Failure }): React.ReactNode {
  const { code, class: kind, message, advice, evidence, retryAfterMs, details } = failure;
  return (
    <section className="failure" aria-label="Failure">
      <p>
        <code>{lineOf(code, 80)}</code> <span className="tag">{kind}</span>
      </p>
      <p>
        <bdi className="foreign foreign-lines">{lineOf(message, 4_000)}</bdi>
      </p>
      {advice === undefined ? undefined : <p className="soft">Told to the model: {lineOf(advice, 600)}</p>}
      <p className="soft">
        {evidenceWords[evidence]}
        {retryAfterMs === undefined ? '' : ` It asked to be left alone for ${durationText(retryAfterMs)}.`}
      </p>
      {details === undefined ? undefined : <ValueView label="Details" value={details} mostRows={8} />}
    </section>
  );
}

export function DecisionBox({ decision }: { readonly decision: Decision }): React.ReactNode {
  const words = { allow: 'allowed', deny: 'denied', ask: 'asked a person' } as const;
  const tone = { allow: 'good', deny: 'warn', ask: 'warn' } as const;
  return (
    <section aria-label="Policy">
      <h3>Policy</h3>
      <p>
        <span className={`tone-${tone[decision.kind]}`}>{words[decision.kind]}</span> by{' '}
        <code>{lineOf(decision.rule, 120)}</code>
      </p>
      {decision.kind === 'allow' ? undefined : <p className="soft">{lineOf(decision.reason, 800)}</p>}
    </section>
  );
}

export function Repairs({ repairs }: { readonly repairs: readonly Repair[] }): React.ReactNode {
  if (repairs.length === 0) return undefined;
  return (
    <section aria-label="Repairs">
      <h3>Repaired, in this order</h3>
      <ol className="changes-of">
        {repairs.map((repair) => (
          <li key={`${repair.rule} ${repair.path} ${JSON.stringify(repair.before)}`}>
            <code>{lineOf(repair.path === '' ? 'the whole' : repair.path, 80)}</code>
            <span className="tag">{lineOf(repair.rule, 40)}</span>
            <span>
              <del>{shortOf(repair.before)}</del> → <ins>{shortOf(repair.after)}</ins>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Filled({ filled }: { readonly filled: readonly FilledArgument[] | undefined }): React.ReactNode {
  if (filled === undefined || filled.length === 0) return undefined;
  return (
    <section aria-label="Filled in">
      <h3>Filled in from the context</h3>
      <ol className="changes-of">
        {filled.map(({ path, from, by }) => (
          <li key={path}>
            <code>{lineOf(path, 80)}</code>
            <span>
              from <code>{lineOf(from, 80)}</code> <span className="soft">({lineOf(by, 40)})</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function shortOf(value: unknown): string {
  return value === undefined ? 'nothing' : lineOf(JSON.stringify(value), 80);
}
