/**
 * Text from models, tools and people: shown and never obeyed.
 *
 * F1 It reaches the page as text nodes and nothing else, so no markup of it counts.
 * F2 Controls, escape sequences, direction marks and invisible characters are written out, and the text stands in a bidi embedding of its own.
 */
import { manyLines, oneLine } from '../../../src/trace/safe-text.ts';

/** Longest text that a line shows; whoever wants the rest opens it. */
const longestLine = 400;

/** A foreign text as one line, fit for attributes too. */
export function lineOf(text: string, longest = longestLine): string {
  return text.length > longest ? `${oneLine(text.slice(0, longest).replace(/[\ud800-\udbff]$/u, ''))}…` : oneLine(text);
}

export function Foreign({ text, longest }: { readonly text: string; readonly longest?: number }): React.ReactNode {
  return <bdi className="foreign">{lineOf(text, longest)}</bdi>;
}

/** A foreign text with its line breaks. */
export function ForeignLines({ text }: { readonly text: string }): React.ReactNode {
  return <bdi className="foreign foreign-lines">{manyLines(text).join('\n')}</bdi>;
}
