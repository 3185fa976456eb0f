/** Durations and offsets as people read them. */

/** A length: three figures that matter, units said. @param ms Not negative. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1_000).toPrecision(3)} s`;
  if (ms < 3_599_500) return pair(Math.round(ms / 1_000), 60, ['m', 's']);
  if (ms < 86_370_000) return pair(Math.round(ms / 60_000), 60, ['h', 'm']);
  return pair(Math.round(ms / 3_600_000), 24, ['d', 'h']);
}

function pair(count: number, per: number, [large, small]: readonly [string, string]): string {
  return `${Math.floor(count / per)} ${large} ${String(count % per).padStart(2, '0')} ${small}`;
}

/** A distance from the start of a run, precise however far: `+120 ms`, `+4.231 s`, `+2:00:05.240`, `+3 d 02:00:05`. @param ms Not negative. */
export function offsetText(ms: number): string {
  if (ms < 1_000) return `+${Math.round(ms)} ms`;
  if (ms < 60_000) return `+${(ms / 1_000).toFixed(3)} s`;
  const seconds = (ms % 60_000) / 1_000;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000);
  if (hours === 0) return `+${minutes}:${seconds.toFixed(3).padStart(6, '0')}`;
  if (hours < 24) return `+${hours}:${twoDigits(minutes)}:${seconds.toFixed(3).padStart(6, '0')}`;
  return `+${Math.floor(hours / 24)} d ${twoDigits(hours % 24)}:${twoDigits(minutes)}:${twoDigits(Math.floor(seconds))}`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}
