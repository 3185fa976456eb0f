/** What came out of a span. */
import type { ModelPart } from '../../../src/call/message.ts';
import type { SpanDetail } from '../../../src/inspect/span-detail.ts';
import type { Span } from '../../../src/trace/trace.ts';
import type { JsonValue } from '../../../src/util/json.ts';
import { TextView, ValueView } from '../json/value-view.tsx';
import { lineOf } from '../words/foreign.tsx';
import { FailureBox } from './parts.tsx';

export function OutputPane({ detail }: { readonly detail: SpanDetail }): React.ReactNode {
  const { span } = detail;
  const parts = span === undefined ? undefined : modelPartsOf(span);
  if (parts !== undefined) return <ModelOutput parts={parts} />;
  const output = span === undefined ? undefined : outputOf(span);
  if (output === undefined) return <p className="faint">Nothing came out of it.</p>;
  if (output.kind === 'failure') return <FailureBox failure={output.failure} />;
  return (
    <>
      <ValueView label="Output" value={output.value} mostRows={28} depth={3} />
      {span?.kind === 'call' && span.published !== undefined && span.published.length > 0 ? (
        <section aria-label="Published">
          <h3>Set in the context of the run</h3>
          {span.published.map(({ key, value }) => (
            <div key={key}>
              <code>{lineOf(key, 80)}</code>
              <ValueView label={key} value={value} mostRows={6} />
            </div>
          ))}
        </section>
      ) : undefined}
    </>
  );
}

type Output =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'failure'; readonly failure: Parameters<typeof FailureBox>[0]['failure'] };

function outputOf(span: Span): Output | undefined {
  switch (span.kind) {
    case 'call':
      if (span.outcome?.status === 'succeeded') return { kind: 'value', value: span.outcome.output };
      return span.outcome?.status === 'failed' ? { kind: 'failure', failure: span.outcome.failure } : undefined;
    case 'attempt':
      if (span.end?.status === 'succeeded') return { kind: 'value', value: span.end.output };
      return span.end?.status === 'failed' ? { kind: 'failure', failure: span.end.failure } : undefined;
    case 'evidence':
      return span.result.status === 'succeeded'
        ? { kind: 'value', value: span.result.output }
        : { kind: 'failure', failure: span.result.failure };
    case 'verify':
      return span.end?.status === 'answered' ? { kind: 'value', value: { ...span.end.verdict } } : undefined;
    default:
      return undefined;
  }
}

function modelPartsOf(span: Span): readonly ModelPart[] | undefined {
  if (span.kind === 'model-attempt') return span.end?.status === 'answered' ? span.end.parts : undefined;
  if (span.kind !== 'model') return undefined;
  const last = span.children.findLast((child) => child.kind === 'model-attempt');
  return last?.kind === 'model-attempt' && last.end?.status === 'answered' ? last.end.parts : undefined;
}

function ModelOutput({ parts }: { readonly parts: readonly ModelPart[] }): React.ReactNode {
  return (
    <ol className="model-parts">
      {parts.map((part, place) => (
        <li key={part.kind === 'call' ? part.toolCallId : `${place}`}>
          <h3>
            {part.kind === 'text'
              ? 'Text'
              : part.kind === 'reasoning'
                ? 'Reasoning'
                : `Call of ${lineOf(part.toolName, 80)}`}
          </h3>
          {part.kind === 'call' ? (
            <>
              <TextView text={part.argumentsText} />
              {part.written === undefined ? undefined : (
                <p className="soft">Written in its text: {lineOf(part.written.text, 400)}</p>
              )}
            </>
          ) : (
            <TextView text={part.text} />
          )}
        </li>
      ))}
    </ol>
  );
}
