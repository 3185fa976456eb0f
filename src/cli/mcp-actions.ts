/** What `axle mcp` does, an action a function. A module of its own, so that only that command loads what speaks MCP. */
import { existsSync } from 'node:fs';
import process from 'node:process';
import { isDisabled, optionsOf, readServerList, type ServerEntry, writeServer } from '../mcp/config/config-file.ts';
import { pinsBeside } from '../mcp/config/mcp-servers.ts';
import { mcp } from '../mcp/mcp-source.ts';
import type { McpOptions } from '../mcp/mcp-options.ts';
import { readPins } from '../mcp/pins/pin-file.ts';
import { oneLine, padToColumns } from '../trace/safe-text.ts';
import { isRecord } from '../util/json.ts';
import type { Invocation } from './command.ts';
import type { ExitName } from './exit-code.ts';
import { testServer, type TestedServer, type TestedTool } from './test-mcp-server.ts';

function fileOf(invocation: Invocation): string {
  return invocation.text('file') ?? 'mcp.json';
}

function serverOf(invocation: Invocation): string {
  const server = invocation.optionalArgument(1);
  if (server === undefined) throw invocation.usage(`axle mcp ${invocation.argument(0)} needs SERVER.`);
  return server;
}

function entryOf(invocation: Invocation, name: string): McpOptions {
  const file = fileOf(invocation);
  const entries = readServerList(file);
  if (!Object.hasOwn(entries, name)) {
    throw invocation.usage(`${file} lists no server ${name}; it lists ${Object.keys(entries).join(', ') || 'none'}.`);
  }
  return optionsOf(name, entries[name], process.env);
}

export async function addServer(invocation: Invocation): Promise<ExitName> {
  const { terminal } = invocation;
  const name = serverOf(invocation);
  const file = fileOf(invocation);
  if (existsSync(file) && Object.hasOwn(readServerList(file), name)) {
    throw invocation.usage(`${file} lists a server ${name} already; take it out of there first.`);
  }
  const entry = newEntry(invocation);
  // Checked before anything is written, by what will read it.
  const options = optionsOf(name, entry, process.env);
  let tools: readonly TestedTool[] | undefined;
  if (!invocation.has('untested')) {
    const pins = pinsBeside(file);
    const tested = await testServer(options, pins);
    report(invocation, { ...tested, remarks: tested.remarks.slice(1) });
    if (tested.revision === undefined) {
      terminal.note(`${name} was not added. With --untested it is written down as it is.`);
      if (terminal.isJson) terminal.json({ server: name, file, added: false, ...tested });
      return 'failed';
    }
    await using source = mcp({ ...options, pins, onNotice: () => undefined });
    await source.connect();
    ({ tools } = tested);
  }
  await writeServer(file, name, entry);
  if (terminal.isJson) {
    terminal.json({ server: name, file, added: true, entry, ...(tools === undefined ? {} : { tools }) });
  } else terminal.say(`${name} is in ${file} now. Use it with: tools: [...mcpServers('${file}')]`);
  return 'ok';
}

function newEntry(invocation: Invocation): ServerEntry {
  const [command, ...args] = invocation.restArguments(2);
  const url = invocation.text('url');
  const bearer = invocation.text('bearer');
  const names = listOf(invocation, 'env');
  const allow = listOf(invocation, 'allow');
  if ((command === undefined) === (url === undefined)) {
    throw invocation.usage('axle mcp add needs either -- COMMAND or --url URL.');
  }
  if (url === undefined) {
    if (bearer !== undefined || allow.length > 0) {
      throw invocation.usage('--bearer and --allow are for servers with --url.');
    }
    const env = Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
    return { command, args, ...(names.length === 0 ? {} : { env }) };
  }
  if (names.length > 0) throw invocation.usage('--env is for servers that are started with -- COMMAND.');
  return {
    type: 'http',
    url,
    ...(bearer === undefined ? {} : { headers: { authorization: `Bearer \${${bearer}}` } }),
    ...(allow.length === 0 ? {} : { allow }),
  };
}

function listOf(invocation: Invocation, option: string): readonly string[] {
  return (invocation.list(option) ?? []).filter((item) => item !== '');
}

export async function listServers(invocation: Invocation): Promise<ExitName> {
  const { terminal } = invocation;
  const file = fileOf(invocation);
  const pins = pinsBeside(file);
  const servers = [];
  for (const [name, entry] of Object.entries(existsSync(file) ? readServerList(file) : {})) {
    const accepted = await readPins(pins, name);
    servers.push({
      name,
      ...placeOf(entry),
      disabled: isDisabled(entry),
      acceptedTools: accepted === undefined ? null : [...accepted.keys()],
    });
  }
  if (terminal.isJson) {
    terminal.json({ file, servers });
    return 'ok';
  }
  if (servers.length === 0) terminal.say(noServersText(file));
  const width = Math.max(0, ...servers.map(({ name }) => name.length));
  for (const { name, transport, target, disabled, acceptedTools } of servers) {
    const tools = acceptedTools === null ? 'nothing accepted yet' : `${acceptedTools.length} tools accepted`;
    terminal.say(
      oneLine(`${padToColumns(name, width)}  ${transport}  ${target}  (${disabled ? 'disabled; ' : ''}${tools})`),
    );
  }
  return 'ok';
}

function noServersText(file: string): string {
  return `${file} lists no servers. Add one with: axle mcp add NAME -- COMMAND`;
}

function placeOf(entry: unknown): { readonly transport: 'stdio' | 'http'; readonly target: string } {
  const { url, command, args } = isRecord(entry) ? entry : {};
  if (typeof url === 'string') return { transport: 'http', target: url };
  const listed: readonly unknown[] = Array.isArray(args) ? args : [];
  const words = [command, ...listed];
  return { transport: 'stdio', target: words.filter((word) => typeof word === 'string').join(' ') };
}

export async function testServers(invocation: Invocation): Promise<ExitName> {
  const { terminal } = invocation;
  const file = fileOf(invocation);
  const one = invocation.optionalArgument(1);
  const names =
    one === undefined
      ? Object.entries(existsSync(file) ? readServerList(file) : {}).flatMap(([name, entry]) =>
          isDisabled(entry) ? [] : [name],
        )
      : [one];
  const servers: TestedServer[] = [];
  for (const name of names) {
    const tested = await testServer(entryOf(invocation, name), pinsBeside(file));
    servers.push(tested);
    report(invocation, tested);
  }
  const ok = servers.every((server) => server.ok);
  if (terminal.isJson) terminal.json({ ok, file, servers });
  else if (servers.length === 0) terminal.say(noServersText(file));
  return ok ? 'ok' : 'failed';
}

export async function acceptTools(invocation: Invocation): Promise<ExitName> {
  const { terminal } = invocation;
  const name = serverOf(invocation);
  const pins = pinsBeside(fileOf(invocation));
  const tools = invocation.restArguments(2);
  const options = entryOf(invocation, name);
  const isFirst = (await readPins(pins, name)) === undefined;
  await using source = mcp({ ...options, pins, onNotice: () => undefined });
  await source.connect();
  const accepted = isFirst
    ? source.review.map((one) => one.name)
    : await source.accept(tools.length === 0 ? undefined : tools);
  if (terminal.isJson) terminal.json({ server: name, pins, accepted });
  else {
    terminal.say(
      accepted.length === 0
        ? `All tools of ${name} were accepted already.`
        : `Accepted in ${pins}: ${accepted.join(', ')}`,
    );
  }
  return 'ok';
}

/** What a test has found, for people. */
function report({ terminal }: Invocation, { name, ok, revision, tools, problems, remarks }: TestedServer): void {
  const spoken = revision === undefined ? '' : `, which speaks ${revision}, offers ${tools.length} tools`;
  terminal.say(`${name}${spoken}: ${ok ? 'all is well' : 'something is wrong'}`);
  const width = Math.max(0, ...tools.map((tool) => tool.name.length));
  for (const tool of tools) {
    const terms = tool.terms === undefined ? '' : `${tool.terms.effect} ${tool.terms.risk}`;
    const words = [
      padToColumns(tool.name, width),
      padToColumns(terms, 17),
      tool.state,
      tool.fingerprint ?? tool.reason ?? '',
    ];
    terminal.say(oneLine(`  ${words.join('  ')}`).trimEnd());
    for (const change of tool.changes ?? []) {
      terminal.say(
        oneLine(`    ${change.field} was ${JSON.stringify(change.before)}, is ${JSON.stringify(change.after)}`),
      );
    }
  }
  for (const problem of problems) for (const line of problem.split('\n')) terminal.say(oneLine(`  ! ${line}`));
  for (const remark of remarks) terminal.say(`  ${remark}`);
}
