/** One box for everything that can be done now, and for going to a run by its id. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { act, handlerOf } from '../keys/actions.ts';
import { type Action, bindings } from '../keys/bindings.ts';
import { strokesOf } from '../keys/key-words.ts';
import { lineOf } from '../words/foreign.tsx';
import { runStatus, StatusMark } from '../words/status.tsx';
import { Dialog } from './dialog.tsx';
import { recentRunsQuery } from './queries.ts';

interface Offer {
  readonly id: string;
  readonly words: string;
  readonly side: React.ReactNode;
  readonly choose: () => void;
}

const mostOffers = 12;

export function Palette({ onClose }: { readonly onClose: () => void }): React.ReactNode {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const offers = useOffers(text, onClose);
  const at = Math.min(chosen, Math.max(0, offers.length - 1));
  return (
    <Dialog label="Find" className="palette" onClose={onClose}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the box is what was asked for.
        autoFocus
        className="palette-box"
        type="text"
        role="combobox"
        aria-label="A command, a screen or a run"
        aria-expanded="true"
        aria-controls="offers"
        aria-activedescendant={offers[at] === undefined ? undefined : `offer-${at}`}
        placeholder="A command, a screen or a run …"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setChosen(Math.min(offers.length - 1, at + 1));
          else if (event.key === 'ArrowUp') setChosen(Math.max(0, at - 1));
          else if (event.key === 'Enter') offers[at]?.choose();
          else return;
          event.preventDefault();
        }}
      />
      <div id="offers" role="listbox" aria-label="Offers" className="offers">
        {offers.map((offer, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- keys go to the box, as in every combobox.
          <div
            key={offer.id}
            id={`offer-${index}`}
            role="option"
            aria-selected={index === at}
            className="offer"
            onClick={offer.choose}
          >
            <span className="cut">{offer.words}</span>
            <span className="offer-side">{offer.side}</span>
          </div>
        ))}
      </div>
      {offers.length === 0 ? <p className="notice faint">Nothing of that name here.</p> : undefined}
    </Dialog>
  );
}

function useOffers(text: string, onClose: () => void): readonly Offer[] {
  const navigate = useNavigate();
  const { data: runs } = useQuery(recentRunsQuery);
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const isWanted = (words: string): boolean =>
      wanted.split(/\s+/u).every((word) => words.toLowerCase().includes(word));
    const commands: Offer[] = bindings
      .filter(
        ({ action, title }) =>
          action !== 'palette' && action !== 'close' && handlerOf(action) !== undefined && isWanted(title),
      )
      .map(({ action, title, keys }) => ({
        id: action,
        words: title,
        side: strokesOf(keys[0]).map((stroke, place) => <kbd key={`${stroke} ${place}`}>{stroke}</kbd>),
        choose: () => {
          onClose();
          // The dialog gives the focus back first.
          requestAnimationFrame(() => act(action satisfies Action));
        },
      }));
    const found = (runs?.items ?? [])
      .filter(({ runId, subject, goal = '' }) => wanted !== '' && isWanted(`${runId} ${subject} ${goal}`))
      .map((run) => ({
        id: run.runId,
        words: `${lineOf(run.subject, 60)} · ${lineOf(run.goal ?? run.runId, 120)}`,
        side: <StatusMark status={runStatus(run)} />,
        choose: () => {
          onClose();
          void navigate({ to: '/runs/$runId', params: { runId: run.runId } });
        },
      }));
    return [...commands, ...found].slice(0, mostOffers);
  }, [text, runs, navigate, onClose]);
}
