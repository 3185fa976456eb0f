/** Tells when one of several files changes, also when an editor puts another in its place. */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface FileWatch {
  /** Watches these files, and no others, from now on. */
  follow(files: ReadonlySet<string>): void;
  stop(): void;
}

/** A change is told once it has been quiet for a moment: editors write in several steps. */
const quietMs = 40;

export function watchFiles(onChange: () => void): FileWatch {
  const folders = new Map<string, FSWatcher>();
  let watched: ReadonlySet<string> = new Set();
  let timer: NodeJS.Timeout | undefined;
  const changed = (folder: string, name: string | null): void => {
    const isOurs = [...watched].some((file) => dirname(file) === folder && (name === null || basename(file) === name));
    if (!isOurs) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMs);
  };
  const stopWatching = (folder: string): void => {
    folders.get(folder)?.close();
    folders.delete(folder);
  };
  return {
    follow: (files) => {
      watched = files;
      const wanted = new Set([...files].map((file) => dirname(file)));
      for (const folder of folders.keys()) if (!wanted.has(folder)) stopWatching(folder);
      for (const folder of wanted) {
        if (folders.has(folder)) continue;
        const watcher = watch(folder, (_, name) => changed(folder, name));
        // A folder that goes away changes nothing any more.
        watcher.on('error', () => stopWatching(folder));
        folders.set(folder, watcher);
      }
    },
    stop: () => {
      clearTimeout(timer);
      for (const folder of folders.keys()) stopWatching(folder);
    },
  };
}
