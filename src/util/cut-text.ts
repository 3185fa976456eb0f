/**
 * Shortens a text to at most `maxChars` UTF-16 code units, says how much was left out, and leaves no half of a character pair behind.
 *
 * @param maxChars At least 40: the remark about what was left out counts too.
 */
export function cutText(text: string, maxChars: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= maxChars) return whole;
  // The remark is at most 31 units long for any text that fits into memory.
  const kept = wholePairs(whole.slice(0, maxChars - 31));
  return `${kept}… (${whole.length - kept.length} characters left out)`;
}

function wholePairs(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}
