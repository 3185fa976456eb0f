/** What stands around every screen: the way between screens, how the server is doing, looks, keys. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunCounters } from '../../../src/server/wire.ts';
import { useActions } from '../keys/actions.ts';
import { HelpSheet } from '../keys/help-sheet.tsx';
import { useConnection } from '../wire/connection.ts';
import { momentText } from '../words/time-text.ts';
import { say, Spoken } from './spoken.tsx';
import { countersKey, useFollowedLists } from './follow-lists.ts';
import { LooksMenu } from './looks-menu.tsx';
import { Palette } from './palette.tsx';
import { systemQuery } from './queries.ts';

export function Shell(): React.ReactNode {
  const navigate = useNavigate();
  const [overlay, setOverlay] = useState<'help' | 'palette'>();
  useFollowedLists();
  useActions({
    help: () => setOverlay('help'),
    palette: () => setOverlay('palette'),
    'go-runs': () => void navigate({ to: '/runs' }),
    'go-inbox': () => void navigate({ to: '/inbox' }),
    'go-tools': () => void navigate({ to: '/tools' }),
    'go-system': () => void navigate({ to: '/system' }),
    'copy-link': () => void copyLink(),
  });
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/runs" className="brand" aria-label="Axle: runs">
          <img src="/icon.svg" alt="" width="18" height="18" />
          Axle
        </Link>
        <Screens />
        <div className="bar-end">
          <ServerState />
          <button type="button" className="bar-button find" onClick={() => setOverlay('palette')}>
            <span className="find-word">Find</span> <kbd>Ctrl K</kbd>
          </button>
          <LooksMenu />
          <button type="button" className="bar-button" aria-label="Keys and help" onClick={() => setOverlay('help')}>
            <kbd>?</kbd>
          </button>
        </div>
      </header>
      <main id="main" className="content" tabIndex={-1}>
        <Outlet />
      </main>
      {overlay === 'help' ? <HelpSheet onClose={() => setOverlay(undefined)} /> : undefined}
      {overlay === 'palette' ? <Palette onClose={() => setOverlay(undefined)} /> : undefined}
      <Spoken />
    </div>
  );
}

function Screens(): React.ReactNode {
  const { data: system } = useQuery(systemQuery);
  const { data: followed } = useQuery<RunCounters>({ queryKey: countersKey, queryFn: skipToken });
  const counters = followed ?? system?.counters;
  const open = (counters?.askingApproval ?? 0) + (counters?.askingAuthorization ?? 0) + (counters?.inDoubt ?? 0);
  return (
    <nav aria-label="Screens" className="screens">
      <Link to="/runs" className="screen">
        Runs
      </Link>
      <Link to="/inbox" className="screen">
        Inbox
        {open > 0 ? <span className="badge figure">{open}</span> : undefined}
      </Link>
      <Link to="/tools" className="screen">
        Tools
      </Link>
      <Link to="/system" className="screen">
        System
      </Link>
    </nav>
  );
}

function ServerState(): React.ReactNode {
  const connection = useConnection();
  if (connection.kind === 'up') return undefined;
  return (
    <span className="lost tone-bad" role="status">
      Server lost since {momentText(connection.sinceMs)}, trying again
    </span>
  );
}

async function copyLink(): Promise<void> {
  await navigator.clipboard.writeText(window.location.href);
  say('Link copied');
}
