import { importsOf, type Sources, targetOf } from './imports.ts';
import { codeWords, type Row, tableRows } from './markdown.ts';
import { declaredTests, type DeclaredTest } from './titles.ts';

/** A test that a document names as proof. */
export interface Proof {
  /** The id of the row: a requirement or a check. */
  readonly id: string;
  readonly file: string;
  /** Its own title, or the titles from a block around it down to its own. */
  readonly path: readonly string[];
}

/** What parts a file from a title, and a title from the one around it. */
const separator = ' › ';

/** The proofs of the rows that have the given columns, and what is wrong with the form of the rows. */
export function readProofs(
  document: string,
  columns: { readonly id: string; readonly proof: string },
): { readonly ids: readonly string[]; readonly proofs: readonly Proof[]; readonly faults: readonly string[] } {
  const proofs: Proof[] = [];
  const faults: string[] = [];
  const rows = tableRows(document, columns.id, columns.proof);
  for (const row of rows) {
    const id = row.get(columns.id) ?? '';
    const cell = row.get(columns.proof) ?? '';
    if (cell === 'not yet') continue;
    const named = codeWords(cell);
    if (named.length === 0) faults.push(`${id}: "${cell}" is neither \`not yet\` nor a list of tests in back-quotes`);
    for (const each of named) {
      const [file = '', ...path] = each.split(separator);
      if (file.endsWith('.test.ts') && path.length > 0) proofs.push({ id, file, path });
      else faults.push(`${id}: "${each}" is not of the form test/folder/name.test.ts${separator}title`);
    }
  }
  return { ids: rows.map((row: Row) => row.get(columns.id) ?? ''), proofs, faults };
}

/** Which proofs the sources of the tests do not bear out, one sentence each. A suite that a test file imports counts as part of it. */
export function proofFaults(proofs: readonly Proof[], sources: Sources): readonly string[] {
  // Many proofs name the same file, and reading one takes long.
  const known = new Map<string, readonly DeclaredTest[]>();
  const testsOf = (file: string): readonly DeclaredTest[] => {
    const tests =
      known.get(file) ?? reachable(file, sources).flatMap((path) => declaredTests(path, sources.get(path) ?? ''));
    known.set(file, tests);
    return tests;
  };
  return proofs.flatMap((proof) => {
    if (!sources.has(proof.file)) return [`${proof.id}: there is no ${proof.file}`];
    const tests = testsOf(proof.file);
    const named = tests.filter((test) => endsWith(test, proof.path));
    const title = proof.path.join(separator);
    if (named.length === 0) return [`${proof.id}: ${proof.file} has no test "${title}"`];
    return named.flatMap((test) =>
      test.kept === undefined ? [] : [`${proof.id}: "${title}" of ${proof.file} does not run: .${test.kept}`],
    );
  });
}

/** True when a test that ran, by its titles from the outermost block inwards, is the one that a proof names. */
export function isProof(titles: readonly string[], proof: Proof): boolean {
  return proof.path.every((wanted, index) => {
    const title = titles[titles.length - proof.path.length + index];
    return title !== undefined && titlePattern(wanted).test(title);
  });
}

function endsWith(test: DeclaredTest, path: readonly string[]): boolean {
  return path.every((wanted, index) => test.path[test.path.length - path.length + index] === wanted);
}

/** A title of `test.each` has places such as `%s` and `$name` that are filled in when it runs. */
function titlePattern(title: string): RegExp {
  const parts = title.split(/%[sdifjoOc#$]|\$[\w.]+/);
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('.*')}$`, 's');
}

function reachable(file: string, sources: Sources, seen: Set<string> = new Set()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const targets = importsOf(file, sources.get(file) ?? '').map((specifier) => targetOf(file, specifier));
  const inside = targets.filter((target) => target !== undefined).filter((target) => sources.has(target));
  return [file, ...inside.flatMap((target) => reachable(target, sources, seen))];
}
