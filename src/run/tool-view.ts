/**
 * Which tools the model is shown, when an agent was granted more than a model chooses well among.
 *
 *   the goal ──search──► first view ──find_tools──► what it found joins, the oldest leave ──► ...
 *
 * T1 A view holds `find_tools`, the tools that are always shown, and others up to the agent's limit; all of them are granted, each stands once.
 * T2 A view changes only by what a search of the model found, and what stays keeps its place: providers cache what does not change.
 * T3 A tool that was called wrongly too often (`invalid-calls.ts`) is left out, for an agent that is shown all of its tools as well.
 * T4 The view is in the entry that asks the model (`model-started`), so another way of searching changes no run under way.
 */
import { findToolsName } from '../contract/found-tools.ts';
import { withdrawnTools } from './invalid-calls.ts';
import type { RunCode } from './run-code.ts';
import type { RunState } from './state.ts';

/** The names to show in the model call that is about to be made; undefined where all tools are shown. */
export function viewOf(state: RunState, code: RunCode): readonly string[] | undefined {
  const view = searchedView(state, code);
  return state.invalidCalls === undefined ? view : withoutWithdrawn(state, view, code);
}

function withoutWithdrawn(
  state: RunState,
  view: readonly string[] | undefined,
  code: RunCode,
): readonly string[] | undefined {
  const { tools } = state.context;
  const withdrawn = withdrawnTools(state);
  // Once a part was shown, all of them must be named to be shown again.
  if (withdrawn.length === 0 && (view !== undefined || tools === undefined)) return view;
  const offered = (view ?? code.names).filter((name) => !withdrawn.includes(name));
  // Some providers refuse a conversation with calls in it and no tool beside it.
  const shown = offered.length === 0 ? (view ?? code.names) : offered;
  return tools !== undefined && isSame(tools, shown) ? tools : shown;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, index) => name === right[index]);
}

function searchedView(state: RunState, code: RunCode): readonly string[] | undefined {
  if (state.task?.kind !== 'agent') return undefined;
  const limits = state.task.agent.toolView;
  if (limits === undefined) return undefined;
  const pinned = [findToolsName, ...limits.always];
  const { tools } = state.context;
  if (tools !== undefined && state.found.length === 0) return tools;
  const before = tools ?? code.searchable?.().index.search(state.task.input, { limit: limits.most }) ?? [];
  const joining = state.found.filter((name) => !before.includes(name));
  const others = [...before, ...joining].filter((name) => !pinned.includes(name) && code.granted.has(name));
  const room = limits.most - pinned.length;
  // A first view has its best in front, a later one what was found last at its end.
  const kept = tools === undefined ? [...others.slice(0, Math.max(0, room - joining.length)), ...joining] : others;
  return [...pinned, ...new Set(kept.slice(-room))];
}
