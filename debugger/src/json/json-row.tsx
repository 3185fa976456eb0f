/** One value of a JSON text as a row. */
import { countedText, sizeText } from '../words/count-text.ts';
import { lineOf } from '../words/foreign.tsx';
import type { JsonIndex } from './json-index.ts';
import { firstNode } from './json-rows.ts';
import { bodyAt, stringAt, textOf } from './json-text.ts';

export interface JsonRowProps {
  readonly id: string;
  readonly index: JsonIndex;
  readonly node: number;
  readonly topPx: number;
  readonly isOpen: boolean;
  readonly isCursor: boolean;
  readonly isFound: boolean;
  /** Counts are final. */
  readonly isDone: boolean;
  readonly onToggle: () => void;
  readonly onBody: ((hash: string, sizeBytes: number) => void) | undefined;
  readonly onText: ((text: string) => void) | undefined;
}

export function JsonRow(props: JsonRowProps): React.ReactNode {
  const { id, index, node, topPx, isOpen, isCursor, isFound, onToggle } = props;
  const depth = (index.depth[node] ?? 0) - firstNode(index);
  const isContainer = index.isContainer(node) && (index.count[node] ?? 0) > 0;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the tree has the focus, and its keys do the same.
    <div
      role="treeitem"
      id={id}
      aria-level={depth + 1}
      aria-expanded={isContainer ? isOpen : undefined}
      aria-selected={isCursor}
      className={`json-row ${isCursor ? 'cursor' : ''} ${isFound ? 'found' : ''}`}
      style={{ transform: `translateY(${topPx}px)`, paddingLeft: 4 + depth * 14 }}
      onClick={onToggle}
    >
      <span className={isContainer ? (isOpen ? 'twist open' : 'twist') : 'twist'} aria-hidden="true">
        {isContainer ? (
          <svg viewBox="0 0 10 10" width="10" height="10" className="shape">
            <path d="M3.5 2l3 3-3 3" />
          </svg>
        ) : undefined}
      </span>
      <Name index={index} node={node} />
      <Value {...props} />
    </div>
  );
}

function Name({ index, node }: Pick<JsonRowProps, 'index' | 'node'>): React.ReactNode {
  const key = index.keyOf(node);
  if (key !== undefined) {
    return (
      <>
        <bdi className="json-key">{lineOf(stringAt(index, key).text, 80)}</bdi>
        <span className="faint">: </span>
      </>
    );
  }
  const parent = index.parent[node] ?? -1;
  if (parent < 0) return undefined;
  return <span className="faint json-place">{placeIn(index, node, parent)} </span>;
}

/** Lists that are longer are not counted through for a number beside a row. */
const mostCounted = 5_000;

function placeIn(index: JsonIndex, node: number, parent: number): string {
  let place = 0;
  for (let at = parent + 1; at < node; at = index.nextOf(at)) {
    place += 1;
    if (place > mostCounted) return '·';
  }
  return String(place);
}

function Value({ index, node, isOpen, isDone, onBody, onText }: JsonRowProps): React.ReactNode {
  const kind = index.kindOf(node);
  switch (kind) {
    case 'object':
    case 'array': {
      const body = isDone ? bodyAt(index, node) : undefined;
      if (body !== undefined && onBody !== undefined) {
        return (
          <Chip onPress={() => onBody(body.hash, body.sizeBytes)}>large value, {sizeText(body.sizeBytes)}: open</Chip>
        );
      }
      const count = index.count[node] ?? 0;
      const words = kind === 'object' ? countedText(count, 'member') : countedText(count, 'item');
      if (count === 0) return <span className="json-word">{kind === 'object' ? '{}' : '[]'}</span>;
      return <span className="faint">{isOpen ? '' : `${kind === 'object' ? '{…}' : '[…]'} ${words}`}</span>;
    }
    case 'string':
      return <StringValue index={index} node={node} onText={onText} />;
    default:
      return <span className={kind === 'number' ? 'json-number' : 'json-word'}>{lineOf(textOf(index, node), 80)}</span>;
  }
}

function StringValue({ index, node, onText }: Pick<JsonRowProps, 'index' | 'node' | 'onText'>): React.ReactNode {
  const start = index.start[node] ?? 0;
  const { text, isCut, sizeBytes, isEncoded } = stringAt(index, start);
  if (isEncoded) return <span className="tag">encoded data, {sizeText(sizeBytes)}</span>;
  const isLong = isCut || text.length > 300 || text.includes('\n');
  return (
    <>
      <bdi className={text.startsWith('[redacted:') ? 'json-redacted' : 'json-string'}>
        {lineOf(JSON.stringify(text).slice(1, -1), 300)}
      </bdi>
      {isLong && onText !== undefined ? (
        <Chip onPress={() => onText(stringAt(index, start, Number.POSITIVE_INFINITY).text)}>
          all, {sizeText(sizeBytes)}
        </Chip>
      ) : undefined}
    </>
  );
}

function Chip({
  onPress,
  children,
}: {
  readonly onPress: () => void;
  readonly children: React.ReactNode;
}): React.ReactNode {
  return (
    <button
      type="button"
      className="json-chip"
      onClick={(event) => {
        event.stopPropagation();
        onPress();
      }}
      // The tree would take Enter for itself.
      onKeyDown={(event) => event.stopPropagation()}
    >
      {children}
    </button>
  );
}
