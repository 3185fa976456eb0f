/**
 * From a tool of a server to a contract.
 *
 * D1 A tool whose input schema cannot be used is refused by itself, with the reason, before anybody calls it.
 * D2 A promise for the output that cannot be used costs the check of the output and nothing else, and is reported.
 */
import type { Contract, ToolContext } from '../../contract/contract.ts';
import { parseDurationMs } from '../../contract/duration.ts';
import { maxSchemaParts, schemaParts } from '../../contract/schema/schema-size.ts';
import { tool } from '../../contract/tool.ts';
import { messageOf } from '../../error/axle-error.ts';
import { cutText } from '../../util/cut-text.ts';
import { defined } from '../../util/defined.ts';
import type { JsonObject, JsonValue } from '../../util/json.ts';
import { type McpSettings, type McpToolTerms, readLimit } from '../mcp-options.ts';
import { outputSchema } from './content.ts';
import type { OfferedTool, RefusedTool } from './offered-tool.ts';
import { tightenedTerms } from './tool-terms.ts';

export interface ToolLimits {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** Makes one call of a tool, with what it is held to. */
export type PerformCall = (
  offered: OfferedTool,
  limits: ToolLimits,
  call: { readonly input: JsonObject; readonly context: ToolContext },
) => Promise<JsonValue>;

export interface MadeContracts {
  readonly contracts: readonly Contract[];
  readonly refused: readonly RefusedTool[];
  /** Tools whose outputs are not checked, with the reasons. */
  readonly unchecked: readonly RefusedTool[];
}

const maxDescriptionChars = 4_000;

/** Parts of all schemas of one server: each is compiled as soon as it is listed. */
const maxServerParts = 20_000;

export function toContracts(tools: readonly OfferedTool[], settings: McpSettings, perform: PerformCall): MadeContracts {
  const contracts: Contract[] = [];
  const refused: RefusedTool[] = [];
  const unchecked: RefusedTool[] = [];
  let parts = 0;
  for (const offered of tools) {
    const { name } = offered;
    parts += partsOf(offered);
    if (parts > maxServerParts) {
      refused.push({ name, reason: `The schemas of its server have more than ${maxServerParts} parts by now.` });
      continue;
    }
    const made = attempt(offered, settings, perform);
    const bare =
      made.kind === 'made' || offered.outputSchema === undefined
        ? made
        : attempt(withoutOutput(offered), settings, perform);
    if (bare.kind === 'failed') refused.push({ name, reason: bare.reason });
    else contracts.push(bare.contract);
    if (made.kind === 'failed' && bare.kind === 'made') unchecked.push({ name, reason: made.reason });
  }
  return { contracts, refused, unchecked };
}

type Made =
  | { readonly kind: 'made'; readonly contract: Contract }
  | { readonly kind: 'failed'; readonly reason: string };

function attempt(offered: OfferedTool, settings: McpSettings, perform: PerformCall): Made {
  try {
    return { kind: 'made', contract: toContract(offered, settings, perform) };
  } catch (error) {
    return { kind: 'failed', reason: messageOf(error) };
  }
}

/** What compiling its schemas costs; one that is refused for its size costs nothing. */
function partsOf({ inputSchema, outputSchema = {} }: OfferedTool): number {
  const sizes = [inputSchema, outputSchema].map((schema) => schemaParts(schema, maxSchemaParts));
  return sizes.filter((size) => size <= maxSchemaParts).reduce((sum, size) => sum + size, 0);
}

function withoutOutput(offered: OfferedTool): OfferedTool {
  const { outputSchema: _, ...rest } = offered;
  return rest;
}

function toContract(offered: OfferedTool, settings: McpSettings, perform: PerformCall): Contract {
  const { name, requestTimeoutMs, effects, shared } = settings;
  // `Object.hasOwn`, since a server may call a tool `constructor`.
  const own: McpToolTerms = (Object.hasOwn(effects, offered.name) ? effects[offered.name] : undefined) ?? {};
  const { verify, parallel, cache, timeout = requestTimeoutMs, idleTimeout, ...terms } = own;
  const tightened = tightenedTerms(terms, offered.annotations);
  const timeoutMs = parseDurationMs(timeout) ?? requestTimeoutMs;
  const idleTimeoutMs =
    idleTimeout === undefined ? (settings.idleTimeoutMs ?? timeoutMs) : readLimit(name, 'idleTimeout', idleTimeout);
  const contract = tool({
    ...shared,
    ...terms,
    ...tightened,
    // Left out where an annotation made more of it than was declared: the contract would be refused.
    ...(tightened.effect === terms.effect ? defined({ parallel, cache }) : {}),
    ...defined({ verify }),
    name: `${name}.${offered.name}`,
    description: describe(offered, name),
    input: offered.inputSchema,
    ...(offered.outputSchema === undefined ? {} : { output: outputSchema(offered.outputSchema) }),
    timeout,
    execute: (input, context) => perform(offered, { timeoutMs, idleTimeoutMs }, { input, context }),
  });
  // A schema is compiled when it is first used; one that cannot be compiled had better show now.
  contract.input.check({});
  contract.output?.check(null);
  return contract;
}

/** A model needs some words for every tool; a server may give none. What nobody sees on a screen is left out. */
function describe(offered: OfferedTool, server: string): string {
  const words = [offered.description, offered.title]
    .map((text) => text?.replaceAll(invisible, '').trim())
    .find((text) => text !== undefined && text !== '');
  return cutText(words ?? `The tool ${offered.name} of the MCP server ${server}.`, maxDescriptionChars);
}

/** Tags, zero-width characters, marks of writing direction and control characters: words for a model that no person would see. */
const invisible =
  /[\u{E0000}-\u{E007F}\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|(?![\t\n\r])\p{Cc}/gu;
