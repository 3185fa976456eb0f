/** Finds text in names and values of a JSON text. */
import { useState } from 'react';
import { findNodes } from './json-rows.ts';
import type { IndexView } from './use-json-index.ts';

export interface JsonFindProps {
  readonly view: IndexView;
  readonly label: string;
  readonly onFound: (node: number) => void;
}

const mostFound = 10_000;

export function JsonFind({ view, label, onFound }: JsonFindProps): React.ReactNode {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ readonly nodes: Int32Array; readonly at: number }>();
  const find = (step: 1 | -1): void => {
    if (text === '') return;
    const nodes = found?.nodes ?? findNodes(view.index, text, mostFound);
    const at = found === undefined ? 0 : (found.at + step + nodes.length) % Math.max(1, nodes.length);
    setFound({ nodes, at });
    const node = nodes[at];
    if (node !== undefined) onFound(node);
  };
  return (
    <span className="json-find">
      <input
        type="search"
        className="field"
        aria-label={`Find in ${label}`}
        placeholder="Find …"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setFound(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          find(event.shiftKey ? -1 : 1);
        }}
      />
      <span className="faint figure" role="status">
        {found === undefined
          ? ''
          : found.nodes.length === 0
            ? 'not found'
            : `${found.at + 1} of ${found.nodes.length}${found.nodes.length >= mostFound ? '+' : ''}`}
      </span>
    </span>
  );
}
