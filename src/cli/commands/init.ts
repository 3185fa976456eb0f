import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../../util/json.ts';
import type { Command, Invocation } from '../command.ts';
import { shellWord } from '../command-text.ts';
import type { ExitName } from '../exit-code.ts';
import type { ProjectPlace } from '../init/new-project.ts';
import type { ProjectManifest } from '../init/project-manifest.ts';

export const initCommand: Command = {
  name: 'init',
  about: 'make a project that runs: one tool, one agent, a model that needs no key, and a test',
  positionals: [{ name: 'FOLDER', isOptional: true }],
  options: {
    axle: { value: 'PACKAGE', about: 'where the project gets Axle from: a tarball, a folder or a version' },
  },
  details:
    'Nothing that is there is changed: a folder must be missing or empty, or be a package without these files; its package.json is left alone then, and what it needs is said. Without --axle the project gets Axle from where this one came from; a checkout is packed first.',
  examples: ['axle init my-project', 'axle init', 'axle init my-project --axle ../axle/axle-0.1.0.tgz --json'],
  run: init,
};

/** The package of Axle that this file belongs to. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

async function init(invocation: Invocation): Promise<ExitName> {
  const { terminal } = invocation;
  const { projectFiles, firstInput } = await import('../init/project-files.ts');
  const { inspectFolder, writeProject } = await import('../init/new-project.ts');
  const { packageName, projectManifest } = await import('../init/project-manifest.ts');
  const given = invocation.optionalArgument(0) ?? '.';
  const folder = resolve(given);
  const own: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const name = packageName(basename(folder));
  const place = inspectFolder(folder, [...projectFiles({ name, axle: '', own }).keys()]);
  const axle = await axleFor(folder, invocation);
  const options = { name, axle, own };
  const files = new Map(projectFiles(options));
  if (place.kind === 'package') files.delete('package.json');
  writeProject(folder, files);
  const next = [
    ...(folder === process.cwd() ? [] : [`cd ${shellWord(given)}`]),
    ...stepsToInstall(place, projectManifest(options)),
    `npx axle run keeper --input ${shellWord(firstInput)}`,
    'npx axle dev --open',
    ...(place.kind === 'new' ? ['npm test'] : ['node --test']),
  ];
  if (terminal.isJson) {
    terminal.json({ folder, files: [...files.keys()], axle, next });
    return 'ok';
  }
  terminal.say(`Made a project in ${folder}: ${[...files.keys()].join(', ')}`);
  if (place.kind === 'package') terminal.say('Its package.json was left as it was.');
  terminal.say('Go on with:');
  for (const step of next) terminal.say(`  ${step}`);
  return 'ok';
}

/** What the `package.json` in a folder says for `axle`. */
async function axleFor(folder: string, { text, terminal, usage }: Invocation): Promise<string> {
  const given = text('axle');
  if (given !== undefined) {
    if (given.trim() === '') throw usage('--axle wants a tarball, a folder or a version.');
    return existsSync(given) ? fileText(folder, resolve(given)) : given;
  }
  const { axleSource } = await import('../init/axle-source.ts');
  const source = await axleSource(root, () =>
    terminal.note('Packing Axle, once for each state of its sources, which takes a few seconds.'),
  );
  return source.kind === 'version' ? source.version : fileText(folder, source.path);
}

/** A path as npm takes it: from the real place of the folder, which need not be there yet. */
function fileText(folder: string, path: string): string {
  return `file:${relative(realPlace(folder), realpathSync(path)).split(sep).join('/')}`;
}

function realPlace(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : join(realPlace(dirname(folder)), basename(folder));
}

/** A package of its own is told what it lacks; what it has stays. */
function stepsToInstall(place: ProjectPlace, wanted: ProjectManifest): readonly string[] {
  if (place.kind === 'new') return ['npm install'];
  const { manifest } = place;
  const known = new Set(
    [manifest['dependencies'], manifest['devDependencies']].flatMap((group) =>
      isRecord(group) ? Object.keys(group) : [],
    ),
  );
  const lacking = (group: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(group)
      .filter(([name]) => !known.has(name))
      .map(([name, version]) =>
        shellWord(version.startsWith('file:') ? version.slice('file:'.length) : `${name}@${version}`),
      );
  const forUse = lacking(wanted.dependencies);
  const forWork = lacking(wanted.devDependencies);
  return [
    ...(manifest['type'] === 'module' ? [] : ['npm pkg set type=module']),
    ...(forUse.length === 0 ? [] : [`npm install --save-exact ${forUse.join(' ')}`]),
    ...(forWork.length === 0 ? [] : [`npm install --save-dev --save-exact ${forWork.join(' ')}`]),
  ];
}
