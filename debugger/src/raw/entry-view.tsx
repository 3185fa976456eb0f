/** One entry of the journal. */
import type { SpanEntry } from '../../../src/inspect/span-detail.ts';
import { ValueView } from '../json/value-view.tsx';
import { clockText } from '../words/time-text.ts';
import { asJson } from './as-json.ts';
import { Moment } from '../words/moment.tsx';

export function EntryView({ row }: { readonly row: SpanEntry }): React.ReactNode {
  const { id, atMs, entry } = row;
  return (
    <article className="entry" aria-label={`Entry ${id}`}>
      <header className="entry-head">
        <code>{id}</code>
        <b>{entry.type}</b>
        <Moment className="faint figure" atMs={atMs}>
          {clockText(atMs)}
        </Moment>
      </header>
      <ValueView label={`Entry ${id}`} value={asJson(entry)} mostRows={24} depth={3} />
    </article>
  );
}
