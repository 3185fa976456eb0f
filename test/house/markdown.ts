/** A row of a Markdown table: the text of its cells by the head of their columns. */
export type Row = ReadonlyMap<string, string>;

/** A fenced block of a Markdown document, with the comments that stand right above it. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Number of the line that opens the block, from 1. */
  readonly line: number;
  /** `<!-- key: value -->` comments above the block, in order; the value is empty when there is none. */
  readonly notes: readonly { readonly key: string; readonly value: string }[];
}

/** The rows of every table of a document whose head holds the given columns. */
export function tableRows(document: string, ...columns: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  let head: readonly string[] | undefined;
  let matches = false;
  for (const line of document.split('\n')) {
    if (!line.trimStart().startsWith('|')) {
      head = undefined;
      continue;
    }
    const cells = cellsOf(line);
    if (head === undefined) {
      head = cells;
      matches = columns.every((column) => cells.includes(column));
    } else if (matches && !cells.every((cell) => /^:?-+:?$/.test(cell))) {
      rows.push(new Map(head.map((name, index) => [name, cells[index] ?? ''])));
    }
  }
  return rows;
}

/** The words in back-quotes of a text, in order. */
export function codeWords(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

/** The fenced blocks of a document. */
export function fencedBlocks(document: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = document.split('\n');
  let notes: { key: string; value: string }[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const note = /^\s*<!--\s*([\w-]+)(?::\s*(.*?))?\s*-->\s*$/.exec(line);
    const fence = /^(\s*)(`{3,})(\w*)\s*$/.exec(line);
    if (note !== null) {
      notes.push({ key: note[1] ?? '', value: note[2] ?? '' });
    } else if (fence !== null) {
      const [, indent = '', ticks = '', language = ''] = fence;
      const opened = index;
      const body: string[] = [];
      for (index += 1; index < lines.length && lines[index]?.trim() !== ticks; index += 1) {
        body.push((lines[index] ?? '').slice(indent.length));
      }
      blocks.push({ language, text: `${body.join('\n')}\n`, line: opened + 1, notes });
      notes = [];
    } else if (line.trim() !== '') {
      notes = [];
    }
  }
  return blocks;
}

function cellsOf(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
