/**
 * A JSON text as a tree that only holds the rows that are seen. It is read and never run: strings are text, data written in letters is a size, a large value that
 * was left out is a button.
 */
import './json.css';
import { useMemo, useRef, useState } from 'react';
import { useRowWindow, useSizePx } from '../rows/use-row-window.ts';
import { countedText, sizeText } from '../words/count-text.ts';
import { JsonFind } from './json-find.tsx';
import { JsonRow } from './json-row.tsx';
import { firstNode, isNodeOpen, type JsonOpenness, shownNodes } from './json-rows.ts';
import { textOf } from './json-text.ts';
import { useJsonIndex } from './use-json-index.ts';

export interface JsonViewProps {
  readonly label: string;
  readonly bytes: Uint8Array;
  /** Rows at most before it scrolls; fills what it stands in without. */
  readonly mostRows?: number;
  /** How deep it is open at first. @defaultValue 2 */
  readonly depth?: number;
  readonly onBody?: (hash: string, sizeBytes: number) => void;
  /** Shows the whole of a long string. */
  readonly onText?: (text: string) => void;
}

/** From here on finding is worth a box. */
const leastForFind = 12;

export function JsonView(props: JsonViewProps): React.ReactNode {
  const { label, bytes, mostRows, depth = 2, onBody, onText } = props;
  const view = useJsonIndex(bytes);
  const { index } = view;
  const [openness, setOpenness] = useState<JsonOpenness>({ depth, byHand: new Map() });
  const [cursor, setCursor] = useState(firstNode(index));
  const [found, setFound] = useState<number>();
  const boxRef = useRef<HTMLDivElement>(null);
  const rowPx = useSizePx('--json-row');
  const shown = useMemo(() => shownNodes(view.index, openness), [view, openness]);
  const window = useRowWindow({ count: shown.length, rowPx, boxRef, spare: 8 });
  const setOpen = (node: number, open: boolean): void =>
    setOpenness((before) => ({ depth: before.depth, byHand: new Map(before.byHand).set(node, open) }));

  if (index.faultAt !== undefined && index.nodeCount <= 1) {
    return <pre className="json-plain">{new TextDecoder().decode(bytes.subarray(0, 20_000))}</pre>;
  }
  const place = shown.indexOf(cursor);
  const goTo = (wanted: number): void => {
    const at = Math.max(0, Math.min(shown.length - 1, wanted));
    setCursor(shown[at] ?? firstNode(index));
    window.reveal(at);
  };
  const show = (node: number): void => {
    const opened = new Map(openness.byHand);
    for (let above = index.parent[node] ?? -1; above >= 0; above = index.parent[above] ?? -1) opened.set(above, true);
    const next = { depth: openness.depth, byHand: opened };
    setOpenness(next);
    setCursor(node);
    setFound(node);
    const at = shownNodes(index, next).indexOf(node);
    requestAnimationFrame(() => window.reveal(at, 'middle'));
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(place + 1),
    ArrowUp: () => goTo(place - 1),
    PageDown: () => goTo(place + window.page),
    PageUp: () => goTo(place - window.page),
    Home: () => goTo(0),
    End: () => goTo(shown.length - 1),
    ArrowRight: () => (isNodeOpen(openness, index, cursor) ? goTo(place + 1) : setOpen(cursor, true)),
    ArrowLeft: () => {
      const parent = index.parent[cursor] ?? -1;
      if (index.isContainer(cursor) && isNodeOpen(openness, index, cursor)) setOpen(cursor, false);
      else if (parent >= firstNode(index)) goTo(shown.indexOf(parent));
    },
    c: () => void navigator.clipboard.writeText(textOf(index, cursor)),
  };
  const drawn = Array.from(shown.subarray(window.first, window.end));
  const isCursorDrawn = place >= window.first && place < window.end;
  const rows = mostRows === undefined ? undefined : Math.min(mostRows, Math.max(1, shown.length));
  return (
    <div className={mostRows === undefined ? 'json fills' : 'json'}>
      {index.nodeCount >= leastForFind ? (
        <div className="json-tools">
          <JsonFind view={view} label={label} onFound={show} />
          <span className="faint figure">
            {index.isDone
              ? `${countedText(index.nodeCount, 'value')}, ${sizeText(bytes.length)}`
              : index.faultAt === undefined
                ? `reading, ${Math.floor(index.progress * 100)} %`
                : `not JSON from byte ${index.faultAt.toLocaleString('en')} on`}
          </span>
          <button type="button" className="button small" onClick={() => setOpenness({ depth: 1, byHand: new Map() })}>
            Close all
          </button>
          <button
            type="button"
            className="button small"
            onClick={() => setOpenness({ depth: Number.POSITIVE_INFINITY, byHand: new Map() })}
          >
            Open all
          </button>
        </div>
      ) : undefined}
      <div
        ref={boxRef}
        className="json-box"
        style={rows === undefined ? undefined : { height: rows * rowPx + 8 }}
        role="tree"
        aria-label={label}
        aria-activedescendant={isCursorDrawn ? `json-${label}-${cursor}` : undefined}
        tabIndex={0}
        data-own-keys=""
        onKeyDown={(event) => {
          const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
          if (act === undefined) return;
          event.preventDefault();
          act();
        }}
      >
        <div className="json-rows" style={{ height: window.heightPx }}>
          {drawn.map((node, at) => (
            <JsonRow
              key={(window.first + at) % window.pool}
              id={`json-${label}-${node}`}
              index={index}
              node={node}
              topPx={window.topPx + at * rowPx}
              isOpen={isNodeOpen(openness, index, node)}
              isCursor={node === cursor}
              isFound={node === found}
              isDone={index.isDone}
              onToggle={() => {
                setCursor(node);
                if (index.isContainer(node)) setOpen(node, !isNodeOpen(openness, index, node));
              }}
              onBody={onBody}
              onText={onText}
            />
          ))}
        </div>
      </div>
    </div>
  );
}
