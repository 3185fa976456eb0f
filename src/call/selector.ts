/**
 * Selectors: how a contract names a value that a run has brought forth, without saying where in the conversation it stands.
 *
 *   user.id  context:user.id     the value of a context key
 *   tool:login                   the newest output of a tool
 *   step:2/login                 the output of a tool in one step
 *   any of them, then #/pointer  a place in it (JSON Pointer, RFC 6901)
 */

export type Selector = (
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'step'; readonly step: number; readonly tool: string }
) & {
  /** The place in the value; `''` for the whole. */
  readonly at: string;
};

const keyForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/u;

/** Names of context keys, and of tools, which are named alike. */
export function isKeyName(text: string): boolean {
  return keyForm.test(text) && !['__proto__', 'constructor', 'prototype'].includes(text);
}

/** True for a JSON Pointer. */
export function isPointer(text: string): boolean {
  return text === '' || /^(?:\/(?:[^~/]|~[01])*)+$/u.test(text);
}

/** Undefined for what is no selector. */
export function parseSelector(text: string): Selector | undefined {
  const hash = text.indexOf('#');
  const name = hash < 0 ? text : text.slice(0, hash);
  const at = hash < 0 ? '' : text.slice(hash + 1);
  if (!isPointer(at)) return undefined;
  const step = /^step:(\d{1,6})\/(.*)$/u.exec(name);
  if (step !== null) {
    const tool = step[2] ?? '';
    return isKeyName(tool) ? { kind: 'step', step: Number(step[1]), tool, at } : undefined;
  }
  if (name.startsWith('tool:')) {
    const tool = name.slice('tool:'.length);
    return isKeyName(tool) ? { kind: 'tool', tool, at } : undefined;
  }
  const key = name.startsWith('context:') ? name.slice('context:'.length) : name;
  return isKeyName(key) ? { kind: 'key', key, at } : undefined;
}

/** The one text of a selector. */
export function selectorText(selector: Selector): string {
  const at = selector.at === '' ? '' : `#${selector.at}`;
  switch (selector.kind) {
    case 'key':
      return `context:${selector.key}${at}`;
    case 'tool':
      return `tool:${selector.tool}${at}`;
    case 'step':
      return `step:${selector.step}/${selector.tool}${at}`;
  }
}
