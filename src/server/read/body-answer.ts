/** Large values by their hash. What a hash names never changes, so it may be kept for ever by whoever may see it. */
import { AxleError } from '../../error/axle-error.ts';

/** The JSON text of a value, or the part of its bytes that `Range` asks for. */
export function bodyAnswer(text: string, hash: string, range: string | null): Response {
  const bytes = new TextEncoder().encode(text);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    // Never compressed: parts of a compressed form would be parts of something else, and to compress 20 MB takes longer than to hand them to a page on the same machine.
    'cache-control': 'private, max-age=31536000, immutable, no-transform',
    'accept-ranges': 'bytes',
    etag: `"${hash}"`,
  };
  const wanted = range === null ? undefined : readRange(range, bytes.byteLength);
  if (wanted === undefined) return new Response(bytes, { headers });
  if (wanted === 'outside') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${bytes.byteLength}` } });
  }
  const [from, to] = wanted;
  return new Response(bytes.slice(from, to + 1), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${from}-${to}/${bytes.byteLength}` },
  });
}

/** First and last byte. Undefined for what is not understood, which counts as not said: several ranges, other units. */
function readRange(range: string, size: number): readonly [from: number, to: number] | 'outside' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.replaceAll(' ', ''));
  const [, first = '', last = ''] = match ?? [];
  if (match === null || (first === '' && last === '')) return undefined;
  if (first === '') return Number(last) === 0 ? 'outside' : [Math.max(0, size - Number(last)), size - 1];
  const from = Number(first);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) return 'outside';
  return [from, last === '' ? size - 1 : Math.min(Number(last), size - 1)];
}

export function unknownBody(hash: string): AxleError {
  return new AxleError('body-unknown', `No value has the hash ${JSON.stringify(hash)}.`);
}
