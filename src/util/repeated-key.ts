/** Whether a JSON text says the same thing twice, which `JSON.parse` settles in silence: the last one wins there, and the first one elsewhere. */

/** The first key that an object of a text has twice; undefined for none. One pass. @param text Well-formed JSON: whoever asks has parsed it. */
export function repeatedKeyIn(text: string): string | undefined {
  /** The keys of each object that is open, from the outside in; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
        open.push(new Set());
        isKeyNext = true;
        break;
      case '[':
        open.push(undefined);
        isKeyNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        isKeyNext = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (isKeyNext) {
          const key = String(JSON.parse(text.slice(at, end + 1)));
          const keys = open.at(-1);
          if (keys?.has(key) === true) return key;
          keys?.add(key);
        }
        isKeyNext = false;
        at = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** Where the string ends that begins here. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
