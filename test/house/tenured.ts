/**
 * Functions that V8 makes in the old generation at once: a function written into a property (`a.b = () => ...`), and a getter or setter of an object literal.
 * What such a function closes over stays in memory until the next full collection, dead or not: in the code of a turn that is the whole run, and clearing it
 * away cost an eighth of the turn. A function that is named first, a method and a getter of a class are made where everything else is.
 */
import { eachNode, isNode, type Sources, type SyntaxNode } from './imports.ts';

/** The places, as `path:line: what`. */
export function tenuredFunctions(sources: Sources): readonly string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    eachNode(path, text, (node) => {
      const what = tenured(node);
      if (what !== undefined) found.push(`${path}:${text.slice(0, Number(node['start'])).split('\n').length}: ${what}`);
    });
  }
  return found;
}

function tenured({ type, left, right, kind }: SyntaxNode): string | undefined {
  if (type === 'Property' && (kind === 'get' || kind === 'set')) return 'an accessor of an object literal';
  const isWritten = type === 'AssignmentExpression' && isOfType(left, ['MemberExpression']);
  return isWritten && isOfType(right, ['ArrowFunctionExpression', 'FunctionExpression'])
    ? 'a function written into a property'
    : undefined;
}

function isOfType(node: unknown, types: readonly unknown[]): boolean {
  return isNode(node) && types.includes(node['type']);
}
