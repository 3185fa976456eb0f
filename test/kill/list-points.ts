/**
 * The named crash points of the source: comments of their own line, such as `/* @crashpoint sqlite-commit-before *\/`.
 *
 * P1 The shipped code holds comments and nothing else; only a test process turns them into calls (`crashpoint-hook.ts`).
 * P2 A name stands for one place. A comment that nearly is one is an error, so that none is overlooked.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface CrashPoint {
  readonly name: string;
  /** Path from the folder that was searched. */
  readonly file: string;
  readonly line: number;
}

const statement = /^(\s*)\/\* @crashpoint ([a-z0-9]+(?:-[a-z0-9]+)*) \*\/$/u;

/** @throws Error for a name that occurs twice, and for a mention that is not a statement of its own. */
export function listPoints(folder: string): readonly CrashPoint[] {
  const points = new Map<string, CrashPoint>();
  for (const path of sourceFiles(folder)) {
    const file = relative(folder, path);
    for (const [index, text] of readFileSync(path, 'utf8').split('\n').entries()) {
      if (!text.includes('@crashpoint')) continue;
      const name = statement.exec(text)?.[2];
      const line = index + 1;
      if (name === undefined) {
        throw new Error(`${file}:${line} mentions a crash point and is not of the form /* @crashpoint some-name */.`);
      }
      const first = points.get(name);
      if (first !== undefined) {
        throw new Error(`The crash point ${name} stands at ${first.file}:${first.line} and at ${file}:${line}.`);
      }
      points.set(name, { name, file, line });
    }
  }
  return [...points.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

/** The source with each crash point turned into a call of `globalThis.__axleCrashpoint`; lines stay where they are. */
export function withCalls(source: string): string {
  if (!source.includes('@crashpoint')) return source;
  return source
    .split('\n')
    .map((line) =>
      line.replace(statement, (_, indent: string, name: string) => `${indent}globalThis.__axleCrashpoint('${name}');`),
    )
    .join('\n');
}
