/** The names of the folders above a relative path, the outermost first: `a`, `a/b` of `a/b/c`. */
export function foldersAbove(path: string): readonly string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}
