/**
 * Modules of a project, loaded anew: a module that is imported with `?axle=N` hands its number to what it imports, so a whole graph of files is read again, while
 * packages and Axle itself stay as they are.
 *
 * H1 Only files of the project get a number: nothing below a `node_modules`, and nothing of Axle.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface FreshModules {
  /** The files that a number has loaded. */
  filesOf(number: number): ReadonlySet<string>;
  /** What to append to the address of a module that begins a graph. */
  searchOf(number: number): string;
  stop(): void;
}

const ownSource = new URL('../../', import.meta.url).href;

/** From now on numbers are handed on. */
export function freshModules(): FreshModules {
  const files = new Map<number, Set<string>>();
  const hooks = registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const resolved = nextResolve(specifier, context);
      const number = numberIn(resolved.url) ?? numberIn(context.parentURL);
      if (number === undefined || !isOfProject(resolved.url)) return resolved;
      const url = new URL(resolved.url);
      url.searchParams.set('axle', String(number));
      const known = files.get(number) ?? new Set();
      files.set(number, known.add(fileURLToPath(resolved.url)));
      return { ...resolved, url: url.href };
    },
  });
  return {
    filesOf: (number) => files.get(number) ?? new Set(),
    searchOf: (number) => `?axle=${number}`,
    stop: () => hooks.deregister(),
  };
}

function numberIn(url: string | undefined): number | undefined {
  const number = Number(/[?&]axle=(\d+)(?:&|$)/.exec(url ?? '')?.[1]);
  return Number.isInteger(number) ? number : undefined;
}

function isOfProject(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/') && !url.startsWith(ownSource);
}
