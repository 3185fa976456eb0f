/** Connects an MCP server once, as `axle mcp` does, and says what it offers and what is wrong with it. Nothing is accepted by looking. */
import type { Contract } from '../contract/contract.ts';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import { mcp } from '../mcp/mcp-source.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
import type { McpNotice } from '../mcp/notice.ts';
import { readPins } from '../mcp/pins/pin-file.ts';
import { type AcceptedTools, reviewOf, type ToolReview } from '../mcp/pins/tool-review.ts';
import type { JsonObject } from '../util/json.ts';
import type { RefusedTool } from '../mcp/tools/offered-tool.ts';

/** A tool of a server, as it stands. */
export interface TestedTool {
  readonly name: string;
  /** `offered`: nothing of its server has been accepted yet. */
  readonly state: ToolReview['kind'] | 'offered' | 'refused';
  /** What a call of it is held to. Absent for one that is refused or gone. */
  readonly terms?: Pick<Contract, 'effect' | 'risk'>;
  readonly fingerprint?: string;
  /** What the server says of it; it tightens terms and loosens none. */
  readonly annotations?: JsonObject;
  /** The parts of its description that have changed since it was accepted. */
  readonly changes?: Extract<ToolReview, { kind: 'changed' }>['changes'];
  readonly reason?: string;
}

export interface TestedServer {
  readonly name: string;
  readonly ok: boolean;
  readonly revision?: string;
  readonly tools: readonly TestedTool[];
  /** What is wrong, in words. */
  readonly problems: readonly string[];
  /** What is worth knowing and not wrong. */
  readonly remarks: readonly string[];
}

/** @param pins The file of accepted tools. */
export async function testServer(options: McpOptions, pins: string): Promise<TestedServer> {
  const notices: McpNotice[] = [];
  const { name } = options;
  try {
    const accepted = await readPins(pins, name);
    await using source = mcp({ ...options, onNotice: (notice) => notices.push(notice) });
    const contracts = await source.connect();
    const review = reviewOf(accepted ?? offeredBy(source.review), source.review.flatMap(toolOf));
    const isKnown = accepted !== undefined;
    const tools = [
      ...review.map((one) => tested(one, { name, contracts, isKnown })),
      ...source.refused.map(refusedTool),
    ];
    const problems = [...changesText(review, name), ...noticesText(notices)];
    const remarks = [
      ...(isKnown ? [] : ['Nothing of it has been accepted yet; its first connection accepts all.']),
      ...readersText(tools),
    ];
    const { revision } = source;
    return {
      name,
      ok: problems.length === 0,
      ...(revision === undefined ? {} : { revision }),
      tools,
      problems,
      remarks,
    };
  } catch (error) {
    return { name, ok: false, tools: [], problems: [failureText(error, options)], remarks: [] };
  }
}

function toolOf(one: ToolReview): readonly Extract<ToolReview, { kind: 'accepted' }>['tool'][] {
  return one.kind === 'gone' ? [] : [one.tool];
}

function offeredBy(review: readonly ToolReview[]): AcceptedTools {
  return new Map(review.flatMap(toolOf).map((tool) => [tool.name, tool]));
}

interface Setting {
  readonly name: string;
  readonly contracts: readonly Contract[];
  readonly isKnown: boolean;
}

function tested(one: ToolReview, server: Setting): TestedTool {
  const { name } = one;
  const state = server.isKnown ? one.kind : 'offered';
  if (one.kind === 'gone') return { name, state };
  const contract = server.contracts.find((each) => each.name === `${server.name}.${name}`);
  const { annotations } = one.tool;
  return {
    name,
    state,
    ...(contract === undefined ? {} : { terms: { effect: contract.effect, risk: contract.risk } }),
    fingerprint: one.fingerprint,
    ...(annotations === undefined ? {} : { annotations }),
    ...(one.kind === 'changed' ? { changes: one.changes } : {}),
  };
}

function refusedTool({ name, reason }: RefusedTool): TestedTool {
  return { name, state: 'refused', reason };
}

function changesText(review: readonly ToolReview[], name: string): readonly string[] {
  return review.flatMap((one) => {
    switch (one.kind) {
      case 'accepted':
        return [];
      case 'changed': {
        const parts = one.changes.map((change) => change.field).join(', ');
        return [
          `${one.name} is described in another way than was accepted (${parts}): it is not called before: axle mcp accept ${name} ${one.name}`,
        ];
      }
      case 'new':
        return [`${one.name} is new: no run sees it before: axle mcp accept ${name} ${one.name}`];
      case 'gone':
        return [`${one.name} was accepted and is not offered any more.`];
    }
  });
}

/** A server's word loosens nothing, but it may remind somebody who knows better. */
function readersText(tools: readonly TestedTool[]): readonly string[] {
  const names = tools
    .filter(({ terms, annotations }) => terms?.effect === 'write' && annotations?.['readOnlyHint'] === true)
    .map((tool) => tool.name);
  if (names.length === 0) return [];
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const first = names[0] ?? '';
  return [
    `It says of tools that they only read: ${names.slice(0, maxNamed).join(', ')}${more}. Where that is so, declare it: "effects": { "${first}": { "effect": "read" } }`,
  ];
}

const maxNamed = 5;

function noticesText(notices: readonly McpNotice[]): readonly string[] {
  return notices.filter((notice) => notice.kind !== 'tools-changed').map((notice) => notice.message);
}

/** What to look at first, for the failures that people meet most. */
function failureText(error: unknown, options: McpOptions): string {
  const message = messageOf(error);
  const code = isAxleError(error) ? error.code : undefined;
  const hint = hintFor(`${code ?? ''} ${message}`, options);
  return hint === undefined ? message : `${message}\n${hint}`;
}

const npxHint =
  'npx may still be fetching it. It sees no settings of your environment for proxies, registries and certificates, unless --env names them (in the list: "env").';

function hintFor(text: string, options: McpOptions): string | undefined {
  const { command, url } = options;
  if (/is not set/.test(text)) return 'Set the variable, or take it out of the list.';
  if (command !== undefined && /ENOENT/.test(text)) return `Is ${command} installed, and on the PATH?`;
  if (command !== undefined && /timed out|REQUEST_TIMEOUT/i.test(text)) {
    return [
      'It started and did not answer. Does it speak MCP over its standard input and output, or does it wait for something?',
      ...(/(?:^|[\\/])npx(?:\.cmd)?$/.test(command) ? [npxHint] : []),
    ].join('\n');
  }
  if (url !== undefined && /timed out|REQUEST_TIMEOUT/i.test(text)) {
    return 'It was silent. If it does not know the newer revision, "protocol": "2025-11-25" in its entry keeps it from being asked.';
  }
  if (url !== undefined && /authorization-required/.test(text)) {
    return 'It asks who you are: give it a header with a secret, such as --bearer NAME_OF_A_VARIABLE.';
  }
  if (url !== undefined && /may not be dialled/.test(text)) {
    return `An address that is not public must be granted: --allow ${new URL(url).host}`;
  }
  if (url !== undefined && /\b404\b/.test(text)) return 'Is this the address of its MCP endpoint? Many end with /mcp.';
  return undefined;
}
