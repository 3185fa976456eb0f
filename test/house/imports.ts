import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The text of files by their path from the root, with `/` between folders. */
export type Sources = ReadonlyMap<string, string>;

/** All files under a folder of the repository whose names end as given. */
export function readSources(folder: string, ending: string): Sources {
  const sources = new Map<string, string>();
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(ending)) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length).replaceAll('\\', '/');
    if (name.includes('node_modules/')) continue;
    sources.set(name, readFileSync(path, 'utf8'));
  }
  return sources;
}

/** A file of the repository as text. */
export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/**
 * Every module that a source text names: imports, re-exports, dynamic imports, and imports of types in each of their spellings.
 * A dynamic import of something that is not a plain string is named `?`.
 */
export function importsOf(path: string, text: string): readonly string[] {
  const found: string[] = [];
  eachNode(path, text, (node) => {
    switch (node['type']) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration':
        if (isNode(node['source'])) found.push(textOf(node['source']));
        break;
      case 'ImportExpression':
      case 'TSImportType':
        found.push(textOf(node['source']));
        break;
      default:
    }
  });
  return found;
}

/** Any node of a syntax tree. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

/** Visits every node of a source text. */
export function eachNode(path: string, text: string, visit: (node: SyntaxNode) => void): void {
  const parsed = parseSync(path, text);
  const [error] = parsed.errors;
  if (error !== undefined) throw new Error(`${path} does not parse: ${error.message}`);
  walk(parsed.program, visit);
}

/** The path from the root that an import leads to, or undefined when it names a package or a part of Node. */
export function targetOf(importer: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(importer), specifier)) : undefined;
}

function textOf(node: unknown): string {
  return isNode(node) && typeof node['value'] === 'string' ? node['value'] : '?';
}

function walk(node: unknown, visit: (node: SyntaxNode) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit);
  } else if (isNode(node)) {
    if (typeof node['type'] === 'string') visit(node);
    for (const each of Object.values(node)) walk(each, visit);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
