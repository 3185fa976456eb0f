/**
 * What the page can do now. Screens register handlers while they are shown; keys and the palette call them.
 * Of several handlers for an action the last that was registered counts: what lies on top.
 */
import { useEffect, useRef } from 'react';
import type { Action } from './bindings.ts';

/** Gets the key that was pressed, where one was. */
export type Handler = (key: string) => void;
export type Handlers = Partial<Record<Action, Handler>>;

const layers: { readonly current: Handlers }[] = [];

/** Handlers for as long as the component is shown. */
export function useActions(handlers: Handlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    layers.push(latest);
    return () => {
      layers.splice(layers.indexOf(latest), 1);
    };
  }, []);
}

export function handlerOf(action: Action): Handler | undefined {
  return layers.findLast((layer) => layer.current[action] !== undefined)?.current[action];
}

export function act(action: Action, key = ''): boolean {
  const handler = handlerOf(action);
  handler?.(key);
  return handler !== undefined;
}
