/** A text as one word of a POSIX shell: in single quotes it reads every character as itself, and a quote is taken out of them. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
