/** Counts and sizes as people read them. */

/** `847`, `12.4k`, `3.1M` */
export function countText(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 999_500) return `${(count / 1_000).toFixed(count < 99_950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(count < 99_950_000 ? 1 : 0)}M`;
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(bytes < 9_950_000 ? 1 : 0)} MB`;
}

/** `1 step`, `2 steps` */
export function countedText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
