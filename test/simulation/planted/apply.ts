/** Plants a bug in this thread: everything imported from here on is loaded with its text changed. */
import { registerHooks } from 'node:module';
import type { Patch, PlantedBug } from './bugs.ts';

const root = new URL('../../../', import.meta.url);

/** Returns a check that every patch has been applied, for after the imports. @throws Error when a text is not found exactly once */
export function plant(bug: PlantedBug): () => void {
  const applied = new Set<number>();
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.startsWith(root.href) || loaded.source === undefined) return loaded;
      let text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      for (const [index, patch] of bug.patches.entries()) {
        if (url !== new URL(patch.file, root).href) continue;
        text = changed(text, patch, bug.name);
        applied.add(index);
      }
      return { ...loaded, source: text };
    },
  });
  return () => {
    const missing = bug.patches.filter((_patch, index) => !applied.has(index));
    if (missing.length > 0) {
      throw new Error(
        `"${bug.name}" was not planted: ${missing.map((patch) => patch.file).join(', ')} was not loaded.`,
      );
    }
  };
}

/** The text with the patch in it; how lines are broken does not matter. @throws Error when it is not found exactly once */
export function changed(text: string, { file, find, replace }: Patch, name: string): string {
  const pattern = new RegExp(
    find
      .trim()
      .split(/\s+/u)
      .map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`))
      .join(String.raw`\s+`),
    'gu',
  );
  const places = text.match(pattern)?.length ?? 0;
  if (places !== 1) {
    throw new Error(`"${name}" cannot be planted: its text is found ${places} times in ${file}, and not once: ${find}`);
  }
  return text.replace(pattern, () => replace);
}

/** A file of the repository. */
export function inRepository(file: string): URL {
  return new URL(file, root);
}
