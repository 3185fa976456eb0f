/** From the name that a model wrote to the tool it means, when there is exactly one. */
import { cutText } from '../util/cut-text.ts';
import { bareName, nearMisses } from './near-miss.ts';
import { aliasProviders, toolAlias } from './tool-alias.ts';

const maxListed = 20;
const maxNameLength = 400;

/** The one tool that a decorated or differently spelled name can mean, aliases included. */
export function resolveName(written: string, names: readonly string[]): string | undefined {
  if (written.length > maxNameLength) return undefined;
  const index = indexOf(names);
  if (index.exact.has(written)) return written;
  const plain = undecorated(written);
  if (index.exact.has(plain)) return plain;
  return index.aliases.get(plain) ?? index.bare.get(spellingOf(plain)) ?? undefined;
}

interface NameIndex {
  readonly exact: ReadonlySet<string>;
  readonly aliases: ReadonlyMap<string, string>;
  /** By spelling; null where several names have the same. */
  readonly bare: ReadonlyMap<string, string | null>;
}

// The names of a run are one list as long as one driver has it.
const indexes = new WeakMap<readonly string[], NameIndex>();

function indexOf(names: readonly string[]): NameIndex {
  const known = indexes.get(names);
  if (known !== undefined) return known;
  const aliases = new Map<string, string>();
  const bare = new Map<string, string | null>();
  for (const name of names) {
    for (const provider of aliasProviders) {
      const alias = toolAlias(name, provider);
      if (alias !== name) aliases.set(alias, name);
    }
    const spelling = spellingOf(name);
    bare.set(spelling, bare.has(spelling) ? null : name);
  }
  const index = { exact: new Set(names), aliases, bare };
  indexes.set(names, index);
  return index;
}

/** Slashes and colons part the words of a name as dots do. */
function spellingOf(name: string): string {
  return bareName(name.replaceAll(/[/:]+/g, '.'));
}

/** Without the quotes, name spaces, brackets, numbers, escapes and control tokens that models put around a name. */
function undecorated(written: string): string {
  return written
    .replace(/<[|｜][^]*$/u, '')
    .replaceAll('\\_', '_')
    .trim()
    .replace(/^[`'"]+|[`'"]+$/g, '')
    .replace(/^(?:functions|function|tools|tool|default_api)(?:::|[.:/])/, '')
    .replace(/\(\s*\)$/, '')
    .replace(/:\d{1,3}$/, '')
    .trim();
}

/** What the model is told about a name that means no tool: the tools there are, the likely ones first. */
export function unknownToolText(written: string, names: readonly string[]): string {
  const near = nearMisses(written.slice(0, maxNameLength), names);
  const listed = [...new Set([...near, ...names])];
  const shown = listed.slice(0, maxListed).join(', ');
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : '';
  const tools = listed.length === 0 ? 'There are no tools to use now.' : `Tools that exist: ${shown}${more}.`;
  return `No tool has the name ${JSON.stringify(cutText(written, 80))}. ${tools}`;
}
