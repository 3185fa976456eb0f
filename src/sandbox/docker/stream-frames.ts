/** Standard output and standard error of a container, out of the one stream in which the engine sends both: frames with a head of eight bytes. */

/** 1 is standard output, 2 standard error; a frame may come in any number of pieces. */
export class StreamFrames {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer, onData: (name: 'stdout' | 'stderr', data: Buffer) => void): void {
    let buffer = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (buffer.length >= 8) {
      const length = buffer.readUInt32BE(4);
      // What there is of the frame is handed on at once: a large one is not collected here.
      const present = buffer.subarray(8, 8 + length);
      if (present.length > 0) onData(buffer[0] === 2 ? 'stderr' : 'stdout', present);
      if (present.length < length) {
        buffer = headFor(buffer[0] ?? 1, length - present.length);
        break;
      }
      buffer = buffer.subarray(8 + length);
    }
    this.#rest = buffer;
  }
}

/** A head that stands for the part of a frame that is still to come. */
function headFor(stream: number, length: number): Buffer {
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(length, 4);
  return head;
}
