/** What is known of an engine's runtime that its attempts at a break-out cannot show. */
import { isRecord } from '../../util/json.ts';

/** Releases of runc from which CVE-2025-31133, CVE-2025-52565 and CVE-2025-52881 (ways out through mounts) are mended. */
const mendedRunc: readonly (readonly number[])[] = [
  [1, 2, 8],
  [1, 3, 3],
  [1, 4, 0],
];

/** @param version The engine's answer to `/version` */
export function runtimeNotes(version: unknown): readonly string[] {
  const components: unknown = isRecord(version) ? version['Components'] : undefined;
  const runc: unknown = Array.isArray(components)
    ? components.find((each: unknown) => isRecord(each) && each['Name'] === 'runc')
    : undefined;
  const text = isRecord(runc) && typeof runc['Version'] === 'string' ? runc['Version'] : undefined;
  const shared = "the kernel is the host's, and the engine runs as root";
  if (text === undefined || isMended(text)) return [shared];
  return [
    shared,
    `runc ${text} is older than 1.2.8: ways out through mounts are known (CVE-2025-31133) unless its vendor has mended them`,
  ];
}

function isMended(text: string): boolean {
  const [major = 0, minor = 0, patch = 0] = text.split(/[.+~-]/).map(Number);
  const line = mendedRunc.find((mended) => mended[0] === major && mended[1] === minor);
  if (line !== undefined) return patch >= (line[2] ?? 0);
  return major > 1 || (major === 1 && minor > 4);
}
