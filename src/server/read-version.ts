/** Which release this is. */
import { readFileSync } from 'node:fs';
import { isRecord } from '../util/json.ts';

/** From the package's own manifest, which stands at the same distance from source and build. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return isRecord(manifest) ? String(manifest['version']) : 'unknown';
}
