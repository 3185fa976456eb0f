import { describe, expect, test } from 'vitest';
import { readText } from './imports.ts';

/** What is wrong with a glossary, one sentence each. */
function glossaryFaults(document: string): readonly string[] {
  const faults: string[] = [];
  const words: string[] = [];
  for (const line of document.split('\n')) {
    const definition = /^- \*\*([^*]+)\*\*: \S/.exec(line);
    if (definition !== null) words.push(definition[1] ?? '');
    const bold = line.match(/\*\*[^*]+\*\*/g) ?? [];
    if (bold.length !== (definition === null ? 0 : 1)) faults.push(`a bold word is no definition: ${line}`);
    if (line.startsWith('- ') && definition === null) faults.push(`not of the form "- **word**: meaning": ${line}`);
  }
  for (const [index, word] of words.entries()) {
    if (words.indexOf(word) !== index) faults.push(`${word} is defined twice`);
    else if (index > 0 && (words[index - 1] ?? '').localeCompare(word, 'en') > 0) {
      faults.push(`${word} is out of order`);
    }
  }
  return faults;
}

describe('the glossary', () => {
  test('defines every bold word once, in the order of the alphabet', () => {
    expect(glossaryFaults(readText('docs/glossary.md'))).toEqual([]);
  });

  test.each([
    ['a word that is defined twice', '- **call**: a\n- **call**: b', 'call is defined twice'],
    ['a word out of order', '- **run**: a\n- **call**: b', 'call is out of order'],
    ['a word without a meaning', '- **run**:', 'a bold word is no definition: - **run**:'],
  ])('its test reports %s', (_, document, fault) => {
    expect(glossaryFaults(document)).toContain(fault);
  });
});
