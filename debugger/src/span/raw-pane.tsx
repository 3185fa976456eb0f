/** The entries that a span is made of, as they stand in the journal. */
import type { SpanDetail } from '../../../src/inspect/span-detail.ts';
import { EntryView } from '../raw/entry-view.tsx';

export function RawPane({ detail }: { readonly detail: SpanDetail }): React.ReactNode {
  return (
    <ol className="raw-list">
      {detail.entries.map((row) => (
        <li key={row.seq}>
          <EntryView row={row} />
        </li>
      ))}
    </ol>
  );
}
