/** From key strokes to actions. */
import { readSetting } from '../app/settings.ts';
import { act, handlerOf } from './actions.ts';
import { type Action, type Binding, bindings } from './bindings.ts';

const pairMs = 1_200;

/** Listens to the whole page. Returns the way to stop. */
export function listenToKeys(): () => void {
  let first: { readonly key: string; readonly atMs: number } | undefined;
  const hear = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    const key = strokeOf(event);
    const started = first !== undefined && event.timeStamp - first.atMs < pairMs ? first.key : undefined;
    first = undefined;
    const binding = bindingFor(started === undefined ? key : `${started} ${key}`) ?? bindingFor(key);
    if (binding === undefined) {
      if (!isTyping(event) && canBegin(key) && hasSingleKeys()) first = { key, atMs: event.timeStamp };
      return;
    }
    if (!mayAct(binding, event)) return;
    if (act(binding.action, event.key)) event.preventDefault();
  };
  document.addEventListener('keydown', hear);
  return () => document.removeEventListener('keydown', hear);
}

function strokeOf(event: KeyboardEvent): string {
  return event.ctrlKey || event.metaKey ? `ctrl+${event.key.toLowerCase()}` : event.key;
}

/** The binding that can act now: the same key may mean one thing in a list and another in a run. */
function bindingFor(keys: string): (Binding & { readonly action: Action }) | undefined {
  return bindings.find(
    (each) => (each.keys as readonly string[]).includes(keys) && handlerOf(each.action) !== undefined,
  );
}

function canBegin(key: string): boolean {
  return bindings.some((each) => each.keys.some((keys) => keys.startsWith(`${key} `)));
}

function hasSingleKeys(): boolean {
  return readSetting('keys') !== 'off';
}

function mayAct(binding: Binding, event: KeyboardEvent): boolean {
  // The browser closes a dialog with it, unless it is taken from it.
  if (event.key === 'Escape') return !isOverlaid();
  if (event.ctrlKey || event.metaKey) return true;
  if (isTyping(event) || isOverlaid()) return false;
  if (binding.isBasic !== true) return hasSingleKeys();
  // Letters are single keys too; arrows and the like belong to what has the focus.
  if (event.key.length === 1) return hasSingleKeys();
  return !hasOwnKeys(event.target, event.key);
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('input:not([type=checkbox], [type=radio], [type=button]), textarea, select'))
  );
}

/** A dialog takes all keys but those that close it. */
function isOverlaid(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

function hasOwnKeys(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === 'Enter') return target.closest('a, button, summary, [role=tab], [role=separator]') !== null;
  return target.closest('[role=tablist], [role=menu], [role=separator], [data-own-keys]') !== null;
}
