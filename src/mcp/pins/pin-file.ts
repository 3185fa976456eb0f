/**
 * The file that says which tools of which servers were accepted, as they were then. It is made to be read by people and kept beside the code: a change of a
 * server's tools is a difference in it.
 *
 *     { "version": 1, "servers": { "files": { "read_file": { "fingerprint": "sha256:…", "description": "…", "inputSchema": { … } } } } }
 */
import { readFile } from 'node:fs/promises';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { isRecord } from '../../util/json.ts';
import { fingerprintOf, readTool } from '../tools/offered-tool.ts';
import { writeWhole } from '../write-whole.ts';
import type { AcceptedTools } from './tool-review.ts';

const version = 1;

type Servers = Readonly<Record<string, unknown>>;

/** The accepted tools of a server; undefined when none has ever been accepted. @throws AxleError `configuration-invalid` */
export async function readPins(path: string, server: string): Promise<AcceptedTools | undefined> {
  const servers = await readServers(path);
  const pinned = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (pinned === undefined) return undefined;
  if (!isRecord(pinned)) throw unreadable(path, `${server} is no object`);
  const tools = new Map();
  for (const [name, facts] of Object.entries(pinned)) {
    const read = readTool({ ...(isRecord(facts) ? facts : {}), name });
    if (read.kind === 'refused') throw unreadable(path, `${server}.${name}: ${read.refused.reason}`);
    const { fingerprint } = isRecord(facts) ? facts : {};
    if (fingerprint !== fingerprintOf(read.tool)) {
      throw unreadable(path, `the fingerprint of ${server}.${name} is not that of what stands beside it`);
    }
    tools.set(name, read.tool);
  }
  return tools;
}

/** Writing is one after another in a process, since each write is made of what was read before it. */
let lastWrite: Promise<unknown> = Promise.resolve();

/** Writes the accepted tools of one server and leaves the others as they are. */
export function writePins(path: string, server: string, accepted: AcceptedTools): Promise<void> {
  const write = async (): Promise<void> => {
    const pinned = Object.fromEntries([...accepted].toSorted(byName).map(([name, tool]) => [name, pinOf(tool)]));
    const servers = { ...(await readServers(path)), [server]: pinned };
    const sorted = Object.fromEntries(Object.entries(servers).toSorted(byName));
    await writeWhole(path, `${JSON.stringify({ version, servers: sorted }, undefined, 2)}\n`);
  };
  const written = lastWrite.then(write, write);
  lastWrite = written.catch(() => undefined);
  return written;
}

function pinOf(tool: Parameters<typeof fingerprintOf>[0]): Readonly<Record<string, unknown>> {
  const { name: _, ...rest } = tool;
  return { fingerprint: fingerprintOf(tool), ...rest };
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

async function readServers(path: string): Promise<Servers> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (isRecord(cause) && cause['code'] === 'ENOENT') return {};
    throw unreadable(path, messageOf(cause), cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(path, messageOf(cause), cause);
  }
  if (!isRecord(value) || value['version'] !== version) throw unreadable(path, `its version is not ${version}`);
  const { servers } = value;
  if (!isRecord(servers)) throw unreadable(path, 'it has no servers');
  return servers;
}

function unreadable(path: string, why: string, cause?: unknown): AxleError {
  return new AxleError('configuration-invalid', `${path} holds no pins of MCP tools: ${why}.`, {
    ...(cause === undefined ? {} : { cause }),
    remedy: 'Restore it, or take the server out of it and accept its tools anew with: axle mcp accept SERVER',
  });
}
