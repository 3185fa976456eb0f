/**
 * Reads the list of a server's tools, page by page.
 *
 * T1 It ends, whatever the server does: at a cursor that was there before or is empty, at a page that brings nothing new, at a limit of pages or tools.
 * T2 A name counts once; the first tool of that name stands.
 * T3 What is no tool is refused by itself.
 */
import { AxleError } from '../../error/axle-error.ts';
import { type OfferedTool, readTool, type RefusedTool } from './offered-tool.ts';

export const maxTools = 2_000;
const maxPages = 200;

export interface ListedTools {
  readonly tools: readonly OfferedTool[];
  readonly refused: readonly RefusedTool[];
  /** What the server did wrong on the way, in words. */
  readonly faults: readonly string[];
}

export interface ToolPage {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

/** @throws AxleError `limit-exceeded` when the server offers more tools than are taken. */
export async function listTools(fetchPage: (cursor: string | undefined) => Promise<ToolPage>): Promise<ListedTools> {
  const byName = new Map<string, OfferedTool>();
  const refused: RefusedTool[] = [];
  const cursors = new Set<string>();
  const faults: string[] = [];
  let doubles = 0;
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await fetchPage(cursor);
    const before = byName.size;
    for (const item of page.tools) {
      const read = readTool(item);
      if (read.kind === 'refused') refused.push(read.refused);
      else if (byName.has(read.tool.name)) doubles += 1;
      else byName.set(read.tool.name, read.tool);
    }
    if (byName.size + refused.length > maxTools) {
      throw new AxleError('limit-exceeded', `It offers more than ${maxTools} tools.`);
    }
    cursor = page.nextCursor;
    if (cursor === undefined) break;
    const fault = faultOfCursor(cursor, { isKnown: cursors.has(cursor), brought: byName.size - before, pages });
    if (fault !== undefined) {
      faults.push(fault);
      break;
    }
    cursors.add(cursor);
  }
  if (doubles > 0 && faults.length === 0) {
    faults.push(`It lists ${doubles} tools under names that it had listed before; the first of each name counts.`);
  }
  return { tools: [...byName.values()], refused, faults };
}

function faultOfCursor(
  cursor: string,
  page: { readonly isKnown: boolean; readonly brought: number; readonly pages: number },
): string | undefined {
  if (cursor === '') return 'It names an empty cursor for the next page of its tools, which counts as the end.';
  if (page.isKnown || page.brought === 0) {
    return 'Its list of tools goes in circles: a next page that it names brings nothing new. What came before counts.';
  }
  return page.pages >= maxPages
    ? `Its list of tools has more than ${maxPages} pages; the rest was not read.`
    : undefined;
}
