import { importsOf, type Sources, targetOf } from './imports.ts';
import { codeWords, tableRows } from './markdown.ts';

/** One row of the table of layers in docs/architecture.md. */
export interface Layer {
  readonly number: number;
  /** Folders of src/, and entry files that stand in src/ itself, each with its rank among siblings: `then` begins the next one. */
  readonly folders: ReadonlyMap<string, number>;
  /** Highest layer that may be imported, -1 for none; 'all' lets siblings in as well. */
  readonly imports: number | 'all';
  /** Packages from outside that may be imported. */
  readonly packages: readonly string[];
}

/** Reads the table of layers; throws when it is not of the form that the other functions rely on. */
export function parseLayers(document: string): readonly Layer[] {
  return tableRows(document, 'layer', 'folders', 'may import', 'packages').map((row, index) => {
    const number = Number(row.get('layer'));
    const imports = row.get('may import') ?? '';
    const upTo = /^(?:0-)?(\d+)$/.exec(imports);
    if (number !== index) throw new Error(`The layers are not numbered from 0 upwards: found ${row.get('layer')}`);
    if (imports !== 'nothing' && imports !== 'all' && Number(upTo?.[1]) !== number - 1) {
      throw new Error(`Layer ${number} says that it may import "${imports}"`);
    }
    return {
      number,
      folders: new Map(
        (row.get('folders') ?? '')
          .split(/\bthen\b/)
          .flatMap((part, rank) => codeWords(part).map((folder) => [folder, rank] as const)),
      ),
      imports: imports === 'all' ? 'all' : number - 1,
      packages: codeWords(row.get('packages') ?? ''),
    };
  });
}

/** What is wrong with the imports of src/, one sentence each. */
export function layerFaults(layers: readonly Layer[], sources: Sources): readonly string[] {
  const layerOf = new Map(
    layers.flatMap((layer) => [...layer.folders.keys()].map((folder) => [folder, layer] as const)),
  );
  const faults: string[] = [];
  for (const [path, text] of sources) {
    const folder = folderOf(path);
    const layer = layerOf.get(folder);
    if (layer === undefined) {
      faults.push(`${path}: ${folder} is in no layer of docs/architecture.md`);
      continue;
    }
    for (const specifier of importsOf(path, text)) {
      const fault = importFault(path, specifier, { layer, layerOf, sources });
      if (fault !== undefined) faults.push(`${path}: imports ${specifier}, ${fault}`);
    }
  }
  return faults;
}

interface Surroundings {
  readonly layer: Layer;
  readonly layerOf: ReadonlyMap<string, Layer>;
  readonly sources: Sources;
}

function importFault(path: string, specifier: string, { layer, layerOf, sources }: Surroundings): string | undefined {
  const target = targetOf(path, specifier);
  if (target === undefined) {
    // Which parts of Node a folder may use is the linter's business.
    if (specifier.startsWith('node:')) return undefined;
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    return layer.packages.includes(name) ? undefined : `a package that layer ${layer.number} may not use`;
  }
  if (!sources.has(target)) return 'which is no file of src';
  const folder = folderOf(target);
  const other = layerOf.get(folder);
  if (folder === folderOf(path) || layer.imports === 'all') return undefined;
  if (other === undefined) return 'which is in no layer';
  if (other === layer) {
    const mayReach = (layer.folders.get(folder) ?? 0) < (layer.folders.get(folderOf(path)) ?? 0);
    return mayReach ? undefined : `a sibling in layer ${layer.number}`;
  }
  return other.number <= layer.imports ? undefined : `which is above: layer ${layer.number} imports ${other.number}`;
}

/** The import cycles of the sources, types included, each as a chain of paths that returns to its start. */
export function importCycles(sources: Sources): readonly string[] {
  const cycles: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const visit = (path: string): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' > '));
      return;
    }
    state.set(path, 'open');
    trail.push(path);
    for (const specifier of importsOf(path, sources.get(path) ?? '')) {
      const target = targetOf(path, specifier);
      if (target !== undefined && sources.has(target)) visit(target);
    }
    trail.pop();
    state.set(path, 'done');
  };
  for (const path of sources.keys()) visit(path);
  return cycles;
}

/** `src/run/driver.ts` is of the folder `run`; an entry file such as `src/axle.ts` stands for itself. */
function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}
