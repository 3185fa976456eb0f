/** Plants a bug in this thread: everything imported from here on is loaded with its text changed. */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { PlantedBug } from './bugs.ts';

const root = new URL('../../../', import.meta.url);

/** Returns a check that every patch has been applied, for after the imports. @throws Error when a text is not found exactly once */
export function plant(bug: PlantedBug): () => void {
  const applied = new Set<number>();
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.startsWith(root.href) || loaded.source === undefined || loaded.source === null) return loaded;
      let text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      for (const [index, patch] of bug.patches.entries()) {
        if (url !== new URL(patch.file, root).href) continue;
        if (text.split(patch.find).length !== 2) throw new Error(`"${bug.name}" cannot be planted: its text is not found exactly once in ${patch.file}: ${patch.find}`);
        text = text.replace(patch.find, () => patch.replace);
        applied.add(index);
      }
      return { ...loaded, source: text };
    },
  });
  return () => {
    const missing = bug.patches.filter((_patch, index) => !applied.has(index));
    if (missing.length > 0) throw new Error(`"${bug.name}" was not planted: ${missing.map((patch) => patch.file).join(', ')} was not loaded.`);
  };
}

/** The repository. */
export function rootPath(file: string): URL {
  return pathToFileURL(new URL(file, root).pathname);
}
