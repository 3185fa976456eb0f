/** One entry of the journal. */
import type { SpanEntry } from '../../../src/inspect/span-detail.ts';
import { ValueView } from '../json/value-view.tsx';
import { clockText, isoText } from '../words/time-text.ts';
import { asJson } from './as-json.ts';

export function EntryView({ row }: { readonly row: SpanEntry }): React.ReactNode {
  const { id, atMs, entry } = row;
  return (
    <article className="entry" aria-label={`Entry ${id}`}>
      <header className="entry-head">
        <code>{id}</code>
        <b>{entry.type}</b>
        <time className="faint figure" dateTime={isoText(atMs)} title={isoText(atMs)}>
          {clockText(atMs)}
        </time>
      </header>
      <ValueView label={`Entry ${id}`} value={asJson(entry)} mostRows={24} depth={3} />
    </article>
  );
}
