/** Sizes as people write them in a contract. */

const unitsBytes: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** Whole bytes of a size: a number of them, or a text such as `512KB`, `64MB`, `1GB` (a KB is 1,024 bytes). Undefined when it is neither. */
export function parseSizeBytes(size: unknown): number | undefined {
  if (typeof size === 'number') return Number.isSafeInteger(size) && size >= 0 ? size : undefined;
  if (typeof size !== 'string') return undefined;
  const match = /^(\d+(?:\.\d+)?) ?(B|KB|MB|GB)$/.exec(size);
  const unitBytes = unitsBytes[match?.[2] ?? ''];
  return match === null || unitBytes === undefined ? undefined : Math.round(Number(match[1]) * unitBytes);
}
