/** The `package.json` of a new project. */
import { AxleError } from '../../error/axle-error.ts';
import { isRecord } from '../../util/json.ts';

export interface ProjectOptions {
  readonly name: string;
  /** What it says for `axle`: a version, or where the package is. */
  readonly axle: string;
  /** The `package.json` of Axle itself, which names the versions that go together. */
  readonly own: unknown;
}

export interface ProjectManifest {
  readonly name: string;
  readonly private: true;
  readonly type: 'module';
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  /** Packages whose install scripts npm may run. */
  readonly allowScripts: Readonly<Record<string, true>>;
}

/** Axle itself, the schemas of its tools, what the debugger is served with, and the two providers of real models. */
const needed = ['zod', 'hono', '@hono/node-server', '@ai-sdk/openai', '@ai-sdk/anthropic'] as const;
const neededForWork = ['@types/node', 'node'] as const;

export function projectManifest({ name, axle, own }: ProjectOptions): ProjectManifest {
  return {
    name,
    private: true,
    type: 'module',
    scripts: { dev: 'axle dev --open', test: 'node --test' },
    dependencies: { axle, ...versionsOf(needed, own) },
    devDependencies: versionsOf(neededForWork, own),
    allowScripts: { node: true },
  };
}

/** Exact versions: those that Axle is tested with. */
function versionsOf(names: readonly string[], own: unknown): Readonly<Record<string, string>> {
  const tested = isRecord(own) && isRecord(own['devDependencies']) ? own['devDependencies'] : {};
  return Object.fromEntries(
    names.map((name) => {
      const version = tested[name];
      if (typeof version !== 'string') throw new AxleError('internal', `The package.json of Axle names no ${name}.`);
      return [name, version];
    }),
  );
}

/** A name that npm takes for the package of a folder: not that of a package which it needs. */
export function packageName(folderName: string): string {
  const plain = folderName
    .toLowerCase()
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
    .slice(0, 100);
  const taken: readonly string[] = ['', 'axle', 'node_modules', ...needed, ...neededForWork];
  return taken.includes(plain) ? `${plain === '' ? 'axle' : plain}-project` : plain;
}
