/**
 * The body of a request as JSON data. Nothing is parsed before its size and depth are known to be within limits.
 */
import { AxleError, isAxleError, messageOf } from '../../error/axle-error.ts';
import { type JsonValue, maxDepth } from '../../util/json.ts';
import { cutText } from '../../util/cut-text.ts';
import { isDeeperThan } from '../../util/json-depth.ts';
import { repeatedKeyIn } from '../../util/repeated-key.ts';

/** Pieces that a body comes in at most: somebody who sends every byte by itself would make the server work and keep hundreds of times as much. */
const maxPieces = 20_000;

/** JSON, in the encoding that it has. */
const jsonType = /^application\/json *(?:;(?! *charset=(?!"?utf-8"?(?: |;|$)).*)|$)/i;

/** Undefined for a request without a body. @throws AxleError `request-too-large`, `media-type-unsupported`, `request-invalid` */
export async function readJsonBody(request: Request, maxBytes: number): Promise<JsonValue | undefined> {
  const type = request.headers.get('content-type');
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (type !== null && !jsonType.test(type)) {
    throw new AxleError('media-type-unsupported', `The body of the request is ${JSON.stringify(type)} and not JSON.`);
  }
  const coding = request.headers.get('content-encoding');
  if (coding !== null && !/^identity$/i.test(coding)) {
    throw new AxleError(
      'media-type-unsupported',
      `The body of the request is encoded as ${JSON.stringify(coding)}, which is not read here.`,
    );
  }
  const text = await readText(request, maxBytes);
  if (text === '') return undefined;
  if (type === null) throw new AxleError('media-type-unsupported', 'The request does not say what its body is.');
  if (isDeeperThan(text, maxDepth)) {
    throw new AxleError('request-too-large', `The body of the request is nested deeper than ${maxDepth} levels.`);
  }
  const body = parse(text);
  const repeated = repeatedKeyIn(text);
  if (repeated === undefined) return body;
  // Whoever checks the request before it comes here may have read the other one.
  throw new AxleError(
    'request-invalid',
    `The body of the request has the key ${shownKey(repeated)} twice in one object.`,
  );
}

function shownKey(key: string): string {
  return JSON.stringify(cutText(key, 100));
}

async function readText({ body, signal }: Request, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      if (chunks.push(chunk) > maxPieces) {
        throw new AxleError('request-too-large', `The body of the request comes in more than ${maxPieces} pieces.`);
      }
    }
    signal.throwIfAborted();
  } catch (cause) {
    if (isAxleError(cause)) throw cause;
    throw new AxleError('aborted', 'The body of the request broke off.', { cause });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new AxleError('request-invalid', 'The body of the request is not UTF-8.', { cause });
  }
}

function parse(text: string): JsonValue {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is JSON through and through.
    return JSON.parse(text, refusePrototypes) as JsonValue;
  } catch (cause) {
    if (isAxleError(cause)) throw cause;
    throw new AxleError('request-invalid', `The body of the request is not JSON: ${messageOf(cause)}`, { cause });
  }
}

function refusePrototypes(key: string, value: unknown): unknown {
  if (key !== '__proto__') return value;
  throw new AxleError('request-invalid', 'The body of the request has a key __proto__, which nobody needs.');
}

function tooLarge(maxBytes: number): AxleError {
  return new AxleError('request-too-large', `The body of the request is larger than ${maxBytes} bytes.`);
}
