/** Where in a JSON text something stands, for people: lines from 1. */

/** The line of a fault of `JSON.parse`, from its message; the last line for a text that ends too early. */
export function lineOfFault(text: string, message: string): number {
  const line = /\(line (\d+) column \d+\)/u.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /at position (\d+)/u.exec(message)?.[1];
  return lineAt(text, position === undefined ? quotedPlace(text, message) : Number(position));
}

/** Characters that a message quotes before the place of the fault, when it quotes a part of the text. */
const quotedBefore = 10;

/** Where the part of the text stands that a message quotes; its end where the message says nothing of it. */
function quotedPlace(text: string, message: string): number {
  const quoted = /\.\.\."([^]*)"(?:\.\.\.)? is not valid JSON$/u.exec(message)?.[1];
  const at = quoted === undefined ? -1 : text.indexOf(quoted);
  return at < 0 ? text.length : at + quotedBefore;
}

/** The line of the member with this name: of the last of its path, within those before it. Undefined when it is not there. */
export function lineOfMember(text: string, path: string): number | undefined {
  let from = 0;
  let found: number | undefined;
  for (const name of memberNames(text, path)) {
    const at = text.slice(from).search(new RegExp(`${escaped(JSON.stringify(name))}\\s*:`, 'u'));
    if (at < 0) break;
    from += at;
    found = from;
    from += 1;
  }
  return found === undefined ? undefined : lineAt(text, found);
}

/** A path such as `publishes.user.id`, whose names may have dots: each is the longest that the text has. */
function memberNames(text: string, path: string): readonly string[] {
  const parts = path.split('.');
  const names: string[] = [];
  while (parts.length > 0) {
    const most = parts.findLastIndex((_, index) => text.includes(JSON.stringify(parts.slice(0, index + 1).join('.'))));
    if (most < 0) break;
    names.push(parts.splice(0, most + 1).join('.'));
  }
  return names;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);
}
