import { expect, test } from 'vitest';
import { bindings, places } from '../../debugger/src/keys/bindings.ts';
import { readText } from '../house/imports.ts';
import { tableRows } from '../house/markdown.ts';

test('docs/debugger.md lists every key, what it does and where', () => {
  const listed = tableRows(readText('docs/debugger.md'), 'keys', 'what they do', 'where').map((row) =>
    ['keys', 'what they do', 'where'].map((column) => row.get(column)),
  );
  const expected = bindings.map(({ keys, title, place }) => [
    keys.length > 3 ? `\`${keys[0]}\`–\`${keys.at(-1)}\`` : keys.map((each) => `\`${each}\``).join(' '),
    title,
    places.find((each) => each.place === place)?.title.toLowerCase(),
  ]);
  expect(listed).toEqual(expected);
});
