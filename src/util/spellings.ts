/** The forms in which a text comes back from wherever it was sent: as it is, and as it stands in JSON, in a URL, in a form and in base64. */

/** The longest first is not promised; some may be equal. */
export function spellingsOf(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [
    value,
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    encodeURIComponent(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
  ];
}
