/**
 * The file in which servers are listed, in the form that MCP hosts share:
 *
 *     { "mcpServers": { "files": { "command": "npx", "args": ["…"] }, "billing": { "url": "https://…", "headers": { "authorization": "Bearer ${BILLING_TOKEN}" } } } }
 *
 * F1 `${NAME}` stands for an environment variable and `${NAME:-else}` for one that may be missing; a variable that is missing otherwise is an error with its name.
 * F2 A field that nobody here knows is refused, since it may restrict something; those of other hosts that only decorate, or permit, are passed over.
 */
import { readFileSync } from 'node:fs';
import { nearMisses } from '../../contract/near-miss.ts';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { isRecord } from '../../util/json.ts';
import { invalid, type McpOptions } from '../mcp-options.ts';
import { writeWhole } from '../write-whole.ts';

/** One server as the file has it. */
export type ServerEntry = Readonly<Record<string, unknown>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Fields that are handed on as they stand, and what each must be. */
const fields: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['command', isText],
  ['args', isTexts],
  ['env', isTextRecord],
  ['cwd', isText],
  ['url', isText],
  ['headers', isTextRecord],
  ['allow', isTexts],
  ['effects', isRecord],
  ['limits', isRecord],
  ['authorization', (value: unknown) => value === 'ask' || value === 'fail'],
  ['breaker', (value: unknown) => typeof value === 'boolean' || isRecord(value)],
  ['protocol', isText],
  ['requestTimeout', isDuration],
  ['idleTimeout', isDuration],
  ['maxResultChars', (value: unknown) => typeof value === 'number'],
  ['keep', (value: unknown) => value === false || isText(value)],
]);
/** Fields in which variables are filled in here. Those of headers are secrets, which nobody holds before they are sent. */
const filled: ReadonlySet<string> = new Set(['command', 'args', 'env', 'cwd', 'url']);
const own: ReadonlySet<string> = new Set(['type', 'disabled']);
const passedOver: ReadonlySet<string> = new Set([
  'description',
  'icon',
  'gallery',
  'version',
  'alwaysAllow',
  'autoApprove',
  'trust',
  'timeout',
]);

/** The servers that a file lists, by name. @throws AxleError `configuration-invalid` */
export function readServerList(path: string): Readonly<Record<string, unknown>> {
  const whole = readWhole(path);
  if (whole === undefined) {
    throw new AxleError('configuration-invalid', `${path} cannot be read: there is no such file.`, {
      remedy: 'It is written with: axle mcp add NAME -- COMMAND',
    });
  }
  return serversIn(whole, path);
}

/** Writes a file of servers with one more, or one changed; whatever else it holds stays. @throws AxleError `configuration-invalid` */
export async function writeServer(path: string, name: string, entry: ServerEntry): Promise<void> {
  const before = readWhole(path) ?? { mcpServers: {} };
  const after = { ...before, mcpServers: { ...serversIn(before, path), [name]: entry } };
  await writeWhole(path, `${JSON.stringify(after, undefined, 2)}\n`);
}

/** What the file holds; undefined when there is none. */
function readWhole(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(value) ? value : {};
  } catch (cause) {
    if (isRecord(cause) && cause['code'] === 'ENOENT') return undefined;
    throw new AxleError('configuration-invalid', `${path} cannot be read: ${messageOf(cause)}`, {
      cause,
      remedy: 'It lists MCP servers and must be a file of JSON.',
    });
  }
}

function serversIn(whole: Readonly<Record<string, unknown>>, path: string): Readonly<Record<string, unknown>> {
  const { mcpServers } = whole;
  if (isRecord(mcpServers)) return mcpServers;
  throw new AxleError('configuration-invalid', `${path} has no mcpServers.`, {
    remedy: 'Write { "mcpServers": { "NAME": { "command": "…" } } }, or: axle mcp add NAME -- COMMAND',
  });
}

/** True for a server that is in the list and not to be used. */
export function isDisabled(entry: unknown): boolean {
  return isRecord(entry) && entry['disabled'] === true;
}

/** The options that an entry stands for. @throws AxleError `configuration-invalid` */
export function optionsOf(name: string, entry: unknown, environment: Environment): McpOptions {
  if (!isRecord(entry)) throw invalid(name, 'it is no object');
  const options: Record<string, unknown> = { name };
  for (const [field, value] of Object.entries(entry)) {
    const isRight = fields.get(field);
    if (isRight === undefined) {
      refuseUnknown(name, field);
      continue;
    }
    if (!isRight(value)) throw invalid(name, `its ${field} is not what it must be`);
    options[field] = filled.has(field) ? fill(value, { name, environment }) : value;
  }
  const { type } = entry;
  const wanted = options['url'] === undefined ? 'stdio' : 'http';
  if (type === 'sse') {
    throw invalid(name, 'it is spoken to over SSE, which is deprecated; use its streamable HTTP address');
  }
  if (type !== undefined && type !== wanted && !(wanted === 'http' && type === 'streamable-http')) {
    throw invalid(name, `its type is ${JSON.stringify(type)}, and what stands beside it is for ${wanted}`);
  }
  if (isOptions(options)) return options;
  throw invalid(
    name,
    options['url'] === undefined ? 'it has neither a command nor a url' : 'it has both a command and a url',
  );
}

// Every field was checked on its way in, and `mcp` checks what they say.
function isOptions(
  options: Readonly<Record<string, unknown>>,
): options is Readonly<Record<string, unknown>> & McpOptions {
  return isText(options['name']) && isText(options['command']) !== isText(options['url']);
}

function refuseUnknown(name: string, field: string): void {
  if (own.has(field) || passedOver.has(field)) return;
  const [near] = nearMisses(field, fields.keys());
  throw invalid(name, `it has a field ${field}, which is not known${near === undefined ? '' : `; is ${near} meant?`}`);
}

interface Filling {
  readonly name: string;
  readonly environment: Environment;
}

function fill(value: unknown, filling: Filling): unknown {
  if (typeof value === 'string') return fillText(value, filling);
  if (Array.isArray(value)) return value.map((item) => fill(item, filling));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, filling)]));
}

function fillText(text: string, { name, environment }: Filling): string {
  return text.replaceAll(
    /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, variable: string, otherwise?: string) => {
      const value = environment[variable] ?? otherwise;
      if (value === undefined) throw invalid(name, `it needs the environment variable ${variable}, which is not set`);
      return value;
    },
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
function isTextRecord(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
}
function isDuration(value: unknown): boolean {
  return isText(value) || typeof value === 'number';
}
