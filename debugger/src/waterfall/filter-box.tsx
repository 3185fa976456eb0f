/** Where the filter is written, with what can be written next. */
import { useMemo, useRef, useState } from 'react';
import type { RunTable } from '../table/run-table.ts';
import { lineOf } from '../words/foreign.tsx';
import { suggestionsFor, wordAt } from './suggestions.ts';
import type { Matches } from './use-matches.ts';

export interface FilterBoxProps {
  readonly text: string;
  readonly matches: Matches;
  readonly table: RunTable;
  readonly onChange: (text: string) => void;
}

export function FilterBox({ text, matches, table, onChange }: FilterBoxProps): React.ReactNode {
  const [typed, setTyped] = useState(text);
  const [sent, setSent] = useState(text);
  const [caret, setCaret] = useState<number>();
  const [chosen, setChosen] = useState(-1);
  const boxRef = useRef<HTMLInputElement>(null);
  // A link, or the way back, changes the text from outside.
  if (text !== sent) {
    setSent(text);
    setTyped(text);
  }
  const suggestions = useMemo(
    () => (caret === undefined ? [] : suggestionsFor(wordAt(typed, caret), table)),
    [typed, caret, table],
  );
  const write = (next: string, at: number | undefined): void => {
    setTyped(next);
    setSent(next);
    setCaret(at);
    setChosen(-1);
    onChange(next);
  };
  const take = (place: number): void => {
    const suggestion = suggestions[place];
    if (suggestion === undefined || caret === undefined) return;
    const { from, to } = wordAt(typed, caret);
    const isField = suggestion.word.endsWith(':');
    const word = isField || typed[to] === ' ' ? suggestion.word : `${suggestion.word} `;
    write(typed.slice(0, from) + word + typed.slice(to), from + word.length);
    const box = boxRef.current;
    requestAnimationFrame(() => box?.setSelectionRange(from + word.length, from + word.length));
  };
  const isOpen = suggestions.length > 0;
  const { fault } = matches;
  return (
    <div className="filter">
      <input
        ref={boxRef}
        id="filter"
        type="search"
        className="field"
        role="combobox"
        aria-label="Filter the spans"
        aria-expanded={isOpen}
        aria-controls="filter-words"
        aria-autocomplete="list"
        aria-activedescendant={isOpen && chosen >= 0 ? `filter-word-${chosen}` : undefined}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : 'filter-fault'}
        placeholder="Filter: tool:send_email is:error dur:>2s …"
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={({ target }) => write(target.value, target.selectionStart ?? target.value.length)}
        onBlur={() => setCaret(undefined)}
        onKeyDown={(event) => {
          if (!isOpen) return;
          if (event.key === 'ArrowDown') setChosen((chosen + 1) % suggestions.length);
          else if (event.key === 'ArrowUp') setChosen(((chosen + suggestions.length) % (suggestions.length + 1)) - 1);
          else if (event.key === 'Tab' || (event.key === 'Enter' && chosen >= 0)) take(Math.max(0, chosen));
          else if (event.key === 'Escape') setCaret(undefined);
          else return;
          event.preventDefault();
        }}
      />
      <div
        id="filter-words"
        role="listbox"
        aria-label="What can be written next"
        className={isOpen ? 'filter-words' : 'unseen'}
      >
        {suggestions.map(({ word, about }, place) => (
          <div
            key={word}
            id={`filter-word-${place}`}
            role="option"
            aria-selected={place === chosen}
            className="filter-word"
            onPointerDown={(event) => {
              event.preventDefault();
              take(place);
            }}
          >
            <code>{lineOf(word, 60)}</code>
            <span className="faint cut">{about}</span>
          </div>
        ))}
      </div>
      {fault === undefined || isOpen ? undefined : (
        <p id="filter-fault" className="filter-fault tone-bad" role="status">
          {lineOf(fault.message, 400)}
        </p>
      )}
    </div>
  );
}
