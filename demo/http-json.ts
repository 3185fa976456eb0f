/** Reads a JSON body of bounded size. */

const limitBytes = 256 * 1024;

/** @throws Error when the body is longer than 256 KB, or no JSON. */
export async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The types of the platform leave open what a body is made of; `fetch` gives bytes.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limitBytes) throw new Error(`The answer is longer than ${limitBytes} bytes.`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
