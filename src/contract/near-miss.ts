/** Names that are almost the one that was asked for: for messages, and for the few repairs that rest on them. */

/** Longer names are compared by their beginning only, so that a hostile name costs nothing. */
const maxLength = 64;

/** The same name in another spelling: case and separators taken away. A leading or trailing underscore stays, since it tells names apart. */
export function bareName(name: string): string {
  return name.replace(/(?<=[^_\-. ])[_\-. ]+(?=[^_\-. ])/g, '').toLowerCase();
}

/** Letters inserted, dropped, changed, or swapped with their neighbour, at least, to make one name of the other. */
export function editDistance(left: string, right: string): number {
  const a = left.slice(0, maxLength);
  const b = right.slice(0, maxLength);
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? (beforeLast[column - 2] ?? Infinity) + 1
          : Infinity;
      current.push(Math.min(changed, swapped, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

const maxListed = 20;

/** For the end of a message about a name that nothing has: what there is, the likely ones first. */
export function thereAre(name: string, candidates: Iterable<string>): string {
  const all = [...candidates];
  const listed = [...new Set([...nearMisses(name, all), ...all])];
  if (listed.length === 0) return 'there are none';
  const more = listed.length > maxListed ? ` and ${listed.length - maxListed} more` : '';
  return `there are ${listed.slice(0, maxListed).join(', ')}${more}`;
}

/** The candidates that somebody who wrote `name` may have meant, nearest first. */
export function nearMisses(name: string, candidates: Iterable<string>): readonly string[] {
  const bare = bareName(name);
  const found: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of candidates) {
    const bareCandidate = bareName(candidate);
    const allowed = Math.max(1, Math.floor(Math.min(bare.length, bareCandidate.length) / 3));
    const apart = Math.abs(bare.length - bareCandidate.length);
    // No distance is smaller than the difference in length, and that one costs nothing to know.
    const distance = apart > allowed ? apart : editDistance(bare, bareCandidate);
    const contains =
      bare.length >= 4 && bareCandidate.length >= 4 && (bare.includes(bareCandidate) || bareCandidate.includes(bare));
    if (distance <= allowed) found.push({ candidate, distance });
    else if (contains) found.push({ candidate, distance: maxLength + distance });
  }
  return found.toSorted((one, other) => one.distance - other.distance).map(({ candidate }) => candidate);
}
