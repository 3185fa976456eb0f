/** Server-sent events as text (WHATWG HTML, 9.2.6). */

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** Events out of chunks that may be cut anywhere. */
export class EventParser {
  #rest = '';
  #id: string | undefined;
  #event = 'message';
  #data: string[] = [];

  *take(chunk: string): Generator<ServerEvent> {
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/u);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = this.#line(line);
      if (event !== undefined) yield event;
    }
  }

  #line(line: string): ServerEvent | undefined {
    if (line === '') return this.#end();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id') this.#id = value;
    return undefined;
  }

  #end(): ServerEvent | undefined {
    const data = this.#data;
    const event = this.#event;
    this.#data = [];
    this.#event = 'message';
    return data.length === 0 ? undefined : { id: this.#id, event, data: data.join('\n') };
  }
}
