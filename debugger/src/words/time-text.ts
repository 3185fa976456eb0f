/** Times as people read them; lengths of time come from the trace, so that page and command line say the same. */
export { durationText, offsetText } from '../../../src/trace/duration-text.ts';

const dayTime = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** `14:03:07` today, with the day otherwise. */
export function momentText(atMs: number, nowMs = Date.now()): string {
  return new Date(atMs).toDateString() === new Date(nowMs).toDateString()
    ? dayTime.format(atMs)
    : dayAndTime.format(atMs);
}

/** `14:03:07.250` */
export function clockText(atMs: number): string {
  return `${dayTime.format(atMs)}.${String(Math.floor(atMs % 1_000)).padStart(3, '0')}`;
}

/** The whole truth, for titles and copying. */
export function isoText(atMs: number): string {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) ? String(atMs) : date.toISOString();
}

/** `3 min ago`, `in 2 h`. */
export function distanceText(atMs: number, nowMs = Date.now()): string {
  const seconds = Math.round(Math.abs(atMs - nowMs) / 1_000);
  const words =
    seconds < 5
      ? 'now'
      : seconds < 90
        ? `${seconds} s`
        : seconds < 5_400
          ? `${Math.round(seconds / 60)} min`
          : seconds < 129_600
            ? `${Math.round(seconds / 3_600)} h`
            : `${Math.round(seconds / 86_400)} d`;
  if (words === 'now') return words;
  return atMs > nowMs ? `in ${words}` : `${words} ago`;
}
