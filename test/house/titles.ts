import { parseSync } from 'vite';

/** A test as its source declares it. */
export interface DeclaredTest {
  /** The titles of the blocks around it and its own. */
  readonly path: readonly string[];
  /** How it is kept from running, by itself or by a block around it. */
  readonly kept?: 'skip' | 'todo' | 'fails';
}

type Node = Readonly<Record<string, unknown>>;

/** Every test that a source text declares with `test`, `it` and `describe` in any of their forms. Titles that are not plain text are left out. */
export function declaredTests(path: string, text: string): readonly DeclaredTest[] {
  const found: DeclaredTest[] = [];
  const visit = (value: unknown, around: DeclaredTest): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, around);
      return;
    }
    if (!isNode(value)) return;
    const declared = value['type'] === 'CallExpression' ? declarationOf(value) : undefined;
    if (declared === undefined) {
      for (const each of Object.values(value)) visit(each, around);
      return;
    }
    const kept = declared.kept ?? around.kept;
    const inner: DeclaredTest = {
      path: [...around.path, declared.title],
      ...(kept === undefined ? {} : { kept }),
    };
    if (declared.kind === 'test') found.push(inner);
    visit(value['arguments'], declared.kind === 'block' ? inner : around);
  };
  visit(parseSync(path, text).program, { path: [] });
  return found;
}

interface Declaration {
  readonly kind: 'test' | 'block';
  readonly title: string;
  readonly kept?: 'skip' | 'todo' | 'fails';
}

function declarationOf(call: Node): Declaration | undefined {
  const words = calleeWords(call['callee']);
  const [name, ...modifiers] = words;
  const kind = name === 'test' || name === 'it' ? 'test' : name === 'describe' ? 'block' : undefined;
  const [first] = Array.isArray(call['arguments']) ? (call['arguments'] as readonly unknown[]) : [];
  const title = isNode(first) ? plainText(first) : undefined;
  if (kind === undefined || title === undefined) return undefined;
  const kept = modifiers.find((word) => word === 'skip' || word === 'todo' || word === 'fails');
  return { kind, title, ...(kept === undefined ? {} : { kept }) };
}

/** `test.skip.each(table)` as its words: test, skip, each. */
function calleeWords(callee: unknown): readonly string[] {
  if (!isNode(callee)) return [];
  switch (callee['type']) {
    case 'Identifier':
      return [String(callee['name'])];
    case 'MemberExpression':
      return [...calleeWords(callee['object']), ...calleeWords(callee['property'])];
    case 'CallExpression':
      return calleeWords(callee['callee']);
    case 'TaggedTemplateExpression':
      return calleeWords(callee['tag']);
    default:
      return [];
  }
}

function plainText(node: Node): string | undefined {
  if (node['type'] === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node['type'] !== 'TemplateLiteral' || !Array.isArray(node['quasis']) || node['quasis'].length !== 1) {
    return undefined;
  }
  const [only] = node['quasis'] as readonly unknown[];
  const value = isNode(only) ? only['value'] : undefined;
  return isNode(value) && typeof value['cooked'] === 'string' ? value['cooked'] : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
