/** What went into a span: as the model wrote it, as it was repaired, as it ran. */
import type { SpanDetail } from '../../../src/inspect/span-detail.ts';
import type { CallSpan } from '../../../src/trace/trace.ts';
import { TextView, ValueView } from '../json/value-view.tsx';
import { Filled, Repairs } from './parts.tsx';
import { CopyButton } from '../app/copy-button.tsx';
import { shellQuoted } from '../../../src/util/shell-quoted.ts';

export function InputPane({ detail }: { readonly detail: SpanDetail }): React.ReactNode {
  const { span } = detail;
  if (span?.kind === 'call') return <CallInput span={span} />;
  if (span?.kind === 'stand-in') return <ValueView label="Input" value={span.input} mostRows={24} depth={4} />;
  return undefined;
}

function CallInput({ span }: { readonly span: CallSpan }): React.ReactNode {
  const { input, argumentsText, repairs, filled, tool } = span;
  return (
    <>
      {input === undefined ? undefined : (
        <section aria-label="Input">
          <header className="card-section">
            <h3>As it ran</h3>
            <span className="copies">
              <CopyButton text={JSON.stringify(input, undefined, 2)} what="Input" />
            </span>
          </header>
          <ValueView label="Input" value={input} mostRows={24} depth={4} />
        </section>
      )}
      <Repairs repairs={repairs} />
      <Filled filled={filled} />
      {argumentsText === undefined ? undefined : (
        <section aria-label="As the model wrote it">
          <h3>As the model wrote it</h3>
          <TextView text={argumentsText} />
        </section>
      )}
      {input === undefined ? undefined : <CopyAs tool={tool} input={input} />}
    </>
  );
}

/** The same call for a terminal and for a program. */
function CopyAs({ tool, input }: { readonly tool: string; readonly input: unknown }): React.ReactNode {
  const json = JSON.stringify({ tool, input });
  const curl = `curl -X POST ${window.location.origin}/v1/calls -H 'content-type: application/json' -H "idempotency-key: $(uuidgen)" -d ${shellQuoted(json)}`;
  const program = `await axle.call(${JSON.stringify(tool)}, ${JSON.stringify(input, undefined, 2)});`;
  return (
    <section aria-label="Make it again">
      <h3>The same call</h3>
      <div className="card-actions">
        as curl <CopyButton text={curl} what="curl command" />
        as TypeScript <CopyButton text={program} what="Program text" />
      </div>
    </section>
  );
}
