/** Cuts off responses that are larger than anybody will keep: a whole body, or one event of a stream that may itself go on for ever. */

/** The longest answer of a server, in bytes after decompression. */
export const answerLimitBytes = 16 * 1024 * 1024;

/**
 * The same response with a body that fails beyond the limit.
 * @param onExceeded Told once, before the body fails.
 */
export function limitedResponse(response: Response, limitBytes: number, onExceeded: () => void): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  const counter = isStream ? new EventCounter() : new BodyCounter();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (counter.add(chunk) <= limitBytes) {
          controller.enqueue(chunk);
          return;
        }
        onExceeded();
        controller.error(new Error(`The answer has more than ${limitBytes} bytes.`));
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

class BodyCounter {
  #bytes = 0;
  add(chunk: Uint8Array): number {
    this.#bytes += chunk.byteLength;
    return this.#bytes;
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Counts the bytes of the event that is under way. An empty line ends one. */
class EventCounter {
  #bytes = 0;
  #lineIsEmpty = true;
  /** Gives the size of the largest event that the chunk belongs to. */
  add(chunk: Uint8Array): number {
    let largest = 0;
    for (const byte of chunk) {
      this.#bytes += 1;
      if (byte === lineFeed || byte === carriageReturn) {
        // A line end of two bytes looks like an empty line in between, and that only makes the count smaller by what is one line.
        if (this.#lineIsEmpty && byte === lineFeed) {
          largest = Math.max(largest, this.#bytes);
          this.#bytes = 0;
        }
        if (byte === lineFeed) this.#lineIsEmpty = true;
      } else {
        this.#lineIsEmpty = false;
      }
    }
    return Math.max(largest, this.#bytes);
  }
}
