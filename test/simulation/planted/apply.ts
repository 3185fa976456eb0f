/**
 * Plants bugs in this thread. Each bug gets a module graph of its own, loaded anew with its text changed; what is not of this repository is shared. A graph is
 * told from others by a query that its modules hand on to what they import.
 */
import { registerHooks } from 'node:module';
import type { Patch, PlantedBug } from './planted-bug.ts';

const root = new URL('../../../', import.meta.url);
const query = 'planted=';

interface Planting {
  readonly bug: PlantedBug;
  readonly applied: Set<number>;
}

const plantings: Planting[] = [];

/** What the graph of a planted bug is loaded by. */
export interface Planted {
  /** Imports a module of the repository with the bug in it. @throws Error when a text is not found exactly once */
  load(file: string): Promise<unknown>;
  /** For after the imports. @throws Error when a patch was not applied because its file was not loaded */
  check(): void;
}

export function plant(bug: PlantedBug): Planted {
  if (plantings.length === 0) watchLoading();
  const planting: Planting = { bug, applied: new Set() };
  plantings.push(planting);
  const place = plantings.length - 1;
  return {
    load: (file) => import(`${inRepository(file).href}?${query}${place}`),
    check: () => {
      const missing = bug.patches.filter((_patch, index) => !planting.applied.has(index));
      if (missing.length === 0) return;
      throw new Error(
        `"${bug.name}" was not planted: ${missing.map((patch) => patch.file).join(', ')} was not loaded.`,
      );
    },
  };
}

function watchLoading(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const mark = markOf(context.parentURL);
      return mark === undefined || !isOurs(resolved.url) || markOf(resolved.url) !== undefined
        ? resolved
        : { ...resolved, url: `${resolved.url}?${mark}` };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const planting = plantings[Number(markOf(url)?.slice(query.length) ?? -1)];
      if (planting === undefined || loaded.source === undefined) return loaded;
      const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: withPatches(source, url, planting) };
    },
  });
}

function isOurs(url: string): boolean {
  return url.startsWith(root.href) && !url.includes('/node_modules/');
}

/** The part of an address that names its graph. */
function markOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /\?(planted=\d+)$/u.exec(url)?.[1];
}

function withPatches(source: string, url: string, { bug, applied }: Planting): string {
  let text = source;
  for (const [index, patch] of bug.patches.entries()) {
    if (!url.startsWith(`${inRepository(patch.file).href}?`)) continue;
    text = changed(text, patch, bug.name);
    applied.add(index);
  }
  return text;
}

/** The text with the patch in it; how lines are broken does not matter. @throws Error when it is not found exactly once */
export function changed(text: string, { file, find, replace }: Patch, name: string): string {
  const words = find.trim().split(/\s+/u);
  const pattern = new RegExp(words.map(escaped).join(String.raw`\s+`), 'gu');
  const places = text.match(pattern)?.length ?? 0;
  if (places === 1) return text.replace(pattern, () => replace);
  throw new Error(`"${name}" cannot be planted: its text is found ${places} times in ${file}, and not once: ${find}`);
}

function escaped(word: string): string {
  return word.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);
}

/** A file of the repository. */
export function inRepository(file: string): URL {
  return new URL(file, root);
}
