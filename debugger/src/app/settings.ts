/** What a person has chosen for this browser: looks and keys. Of runs nothing is kept here but the filters that were asked to be kept. */
import { useSyncExternalStore } from 'react';
import { Listeners } from '../wire/listeners.ts';

const defaults = {
  theme: 'system',
  contrast: 'system',
  keys: 'on',
  /** Where the panel of a span stands. */
  panel: 'side',
  panelPx: '480',
  /** Columns of the list of runs, by name with commas; the usual ones when it is empty. */
  columns: '',
  /** Filters of the list of runs, as JSON. */
  'kept-filters': '[]',
} as const;

export type Setting = keyof typeof defaults;

const listeners = new Listeners();

export function readSetting(name: Setting): string {
  return window.localStorage.getItem(`axle-${name}`) ?? defaults[name];
}

export function writeSetting(name: Setting, value: string): void {
  window.localStorage.setItem(`axle-${name}`, value);
  showLooks();
  listeners.tell();
}

/** Carries theme and contrast into the document. */
export function showLooks(): void {
  const root = document.documentElement;
  const theme = readSetting('theme');
  if (theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  const contrast = readSetting('contrast');
  const isMore =
    contrast === 'more' || (contrast === 'system' && window.matchMedia('(prefers-contrast: more)').matches);
  if (isMore) root.dataset['contrast'] = 'more';
  else delete root.dataset['contrast'];
}

export function useSetting(name: Setting): string {
  return useSyncExternalStore(listeners.subscribe, () => readSetting(name));
}
