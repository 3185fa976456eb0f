/** The kept filters as links, and the way to keep the one that is in force. */
import { Link } from '@tanstack/react-router';
import type { RunsSearch } from '../app/search.ts';
import { useSetting, writeSetting } from '../app/settings.ts';
import { lineOf } from '../words/foreign.tsx';
import { filterText, forgetting, keeping, readKept } from './kept-filters.ts';

export function KeptFilters({ search }: { readonly search: RunsSearch }): React.ReactNode {
  const text = useSetting('kept-filters');
  const kept = readKept(text);
  const isNarrowed = Object.keys(search).length > 0;
  const isKept = kept.some((each) => filterText(each) === filterText(search));
  return (
    <>
      {kept.map((each) => (
        <span key={filterText(each)} className="kept-filter">
          <Link to="/runs" search={each} className="chip" activeOptions={{ exact: true }}>
            {wordsOf(each)}
          </Link>
          <button
            type="button"
            className="chip"
            aria-label={`Forget the filter ${wordsOf(each)}`}
            onClick={() => writeSetting('kept-filters', forgetting(text, each))}
          >
            <span aria-hidden="true">×</span>
          </button>
        </span>
      ))}
      {isNarrowed && !isKept ? (
        <button type="button" className="chip" onClick={() => writeSetting('kept-filters', keeping(text, search))}>
          Keep this filter
        </button>
      ) : undefined}
    </>
  );
}

function wordsOf({ state, subject, session }: RunsSearch): string {
  return [state, subject, session].flatMap((word) => (word === undefined ? [] : [lineOf(word, 30)])).join(' · ');
}
