/** How deep a JSON text is, before anything of it is parsed. */

/** Whether a text, which is probably JSON, has more levels of lists and objects inside each other. One pass. */
export function isDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === 92) at += 1;
      else if (code === 34) isInString = false;
    } else if (code === 34) isInString = true;
    else if (code === 123 || code === 91) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return false;
}
