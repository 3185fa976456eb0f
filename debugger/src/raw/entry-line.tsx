/** An entry as a line that opens. */
import type { EntryRow } from '../../../src/server/wire.ts';
import { ValueView } from '../json/value-view.tsx';
import { lineOf } from '../words/foreign.tsx';
import { clockText } from '../words/time-text.ts';
import { asJson } from './as-json.ts';
import { Moment } from '../words/moment.tsx';

export interface EntryLineProps {
  readonly row: EntryRow;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

export function EntryLine({ row, isSelected, onSelect }: EntryLineProps): React.ReactNode {
  const { id, atMs, entry } = row;
  return (
    <article className={isSelected ? 'entry-line selected' : 'entry-line'}>
      <button type="button" className="entry-button" aria-expanded={isSelected} onClick={onSelect}>
        <code className="figure">{id}</code>
        <b>{entry.type}</b>
        <code className="cut entry-gist">{isSelected ? '' : lineOf(JSON.stringify(entry), 200)}</code>
        <Moment className="faint figure" atMs={atMs}>
          {clockText(atMs)}
        </Moment>
      </button>
      {isSelected ? <ValueView label={`Entry ${id}`} value={asJson(entry)} mostRows={40} depth={4} /> : undefined}
    </article>
  );
}
