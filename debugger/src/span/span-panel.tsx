/** Everything about the span that is selected, in panes. */
import './span.css';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { SpanDetail } from '../../../src/inspect/span-detail.ts';
import { Failed, Loading } from '../app/states.tsx';
import { LogLines } from '../logs/log-lines.tsx';
import { KindBadge } from '../table/kinds.tsx';
import type { RunTable } from '../table/run-table.ts';
import { Foreign } from '../words/foreign.tsx';
import { StatusMark } from '../words/status.tsx';
import { Overview } from './overview.tsx';
import { useSpan } from './use-span.ts';

export interface SpanPanelProps {
  readonly runId: string;
  readonly table: RunTable;
  readonly row: number;
  readonly pane: string | undefined;
  readonly onPane: (pane: string | undefined) => void;
  readonly onChoose: (row: number) => void;
  readonly onClose: () => void;
}

const InputPane = lazy(async () => ({ default: (await import('./input-pane.tsx')).InputPane }));
const OutputPane = lazy(async () => ({ default: (await import('./output-pane.tsx')).OutputPane }));
const RawPane = lazy(async () => ({ default: (await import('./raw-pane.tsx')).RawPane }));

const panes = [
  { pane: 'overview', title: 'Overview' },
  { pane: 'input', title: 'Input' },
  { pane: 'output', title: 'Output' },
  { pane: 'logs', title: 'Logs' },
  { pane: 'raw', title: 'Raw' },
] as const;

type Pane = (typeof panes)[number]['pane'];

/** Panes that say something of a kind of span; the others are not offered. */
function panesOf(kind: string): readonly Pane[] {
  switch (kind) {
    case 'call':
      return ['overview', 'input', 'output', 'logs', 'raw'];
    case 'stand-in':
      return ['overview', 'input', 'raw'];
    case 'model':
    case 'attempt':
    case 'evidence':
    case 'verify':
      return ['overview', 'output', 'raw'];
    default:
      return ['overview', 'raw'];
  }
}

export function SpanPanel(props: SpanPanelProps): React.ReactNode {
  const { runId, table, row, onPane, onClose } = props;
  const span = table.columns.row(row);
  const query = useSpan(runId, table, row);
  if (span === undefined) return undefined;
  const offered = panesOf(span.kind);
  const pane = offered.find((each) => each === props.pane) ?? 'overview';
  return (
    <section className="span-panel" aria-label="The selected span">
      <header className="span-head">
        <KindBadge kind={span.kind} />
        <h2 className="cut">
          <Foreign text={span.name} longest={120} />
        </h2>
        <StatusMark status={span.status} />
        <SeenByModel runId={runId} detail={query.data} />
        <button type="button" className="button small" onClick={onClose} aria-label="Close the panel">
          <span aria-hidden="true">×</span>
        </button>
      </header>
      <div className="tabs panes" role="tablist" aria-label="Panes of the span">
        {panes
          .filter((each) => offered.includes(each.pane))
          .map((each) => (
            <button
              key={each.pane}
              type="button"
              role="tab"
              id={`pane-${each.pane}`}
              aria-selected={each.pane === pane}
              aria-controls="pane"
              tabIndex={each.pane === pane ? 0 : -1}
              className={each.pane === pane ? 'tab active' : 'tab'}
              onClick={() => onPane(each.pane === 'overview' ? undefined : each.pane)}
              onKeyDown={(event) => {
                const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
                if (step === 0) return;
                event.preventDefault();
                const next = offered[(offered.indexOf(pane) + step + offered.length) % offered.length] ?? 'overview';
                onPane(next === 'overview' ? undefined : next);
                document.getElementById(`pane-${next}`)?.focus();
              }}
            >
              {each.title}
            </button>
          ))}
      </div>
      <div className="span-body" role="tabpanel" id="pane" aria-labelledby={`pane-${pane}`} tabIndex={0}>
        <Suspense fallback={<Loading what="it" />}>
          <PaneBody {...props} shown={pane} query={query} />
        </Suspense>
      </div>
    </section>
  );
}

interface PaneBodyProps extends SpanPanelProps {
  readonly shown: Pane;
  readonly query: ReturnType<typeof useSpan>;
}

function PaneBody({ shown, query, table, row, runId, onChoose }: PaneBodyProps): React.ReactNode {
  const { data: detail, error, refetch } = query;
  const fault = error === null ? undefined : <Failed error={error} onRetry={() => void refetch()} />;
  if (shown === 'overview') {
    return (
      <>
        {fault}
        <Overview table={table} row={row} detail={detail} onChoose={onChoose} />
      </>
    );
  }
  if (detail === undefined) return fault ?? <Loading what="it" />;
  switch (shown) {
    case 'input':
      return <InputPane detail={detail} />;
    case 'output':
      return <OutputPane detail={detail} />;
    case 'logs':
      return (
        <LogLines
          runId={runId}
          callId={detail.span?.kind === 'call' ? detail.span.callId : undefined}
          isLive={!table.columns.ended}
        />
      );
    case 'raw':
      return <RawPane detail={detail} />;
  }
}

/** From a call of the model to what it saw. */
function SeenByModel({
  runId,
  detail,
}: {
  readonly runId: string;
  readonly detail: SpanDetail | undefined;
}): React.ReactNode {
  const started = detail?.entries.findLast(({ entry }) => entry.type === 'model-started');
  const isModel = detail?.row.kind === 'model' || detail?.span?.kind === 'model-attempt';
  if (started === undefined || !isModel) return undefined;
  return (
    <Link to="/runs/$runId/context" params={{ runId }} search={{ seq: String(started.seq) }} className="span-context">
      What it saw
    </Link>
  );
}
