/** How keys are named for people. */
const words: ReadonlyMap<string, string> = new Map([
  ['ArrowDown', '↓'],
  ['ArrowUp', '↑'],
  ['ArrowLeft', '←'],
  ['ArrowRight', '→'],
  ['Escape', 'Esc'],
  ['PageDown', 'Page ↓'],
  ['PageUp', 'Page ↑'],
]);

/** The single strokes of a binding: `g r` is two, `ctrl+k` is one. */
export function strokesOf(keys: string): readonly string[] {
  return keys.split(' ').map((stroke) => words.get(stroke) ?? stroke.replace('ctrl+', 'Ctrl '));
}
