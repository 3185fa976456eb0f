/** Reads `run` and `sandbox` of a declaration: what is run apart, and what the place must hold back. Undeclared, that is everything. */
import { sandboxProperties, type SandboxProperty } from '../../call/isolation.ts';
import { parseSizeBytes } from '../size.ts';
import { isRecord } from '../../util/json.ts';
import {
  type CommandProgram,
  type FromAlias,
  type FileFromInput,
  type FromInput,
  type FromVariable,
  isFromAlias,
  type NetworkPlace,
  type Program,
  type SandboxLimits,
  type SandboxTerms,
} from '../program.ts';
import { isAliasName } from './aliases.ts';
import { readProduced } from './produced-files.ts';
import { type Fields, invalid, oneOf, optionalDurationMs, optionalNumber, part } from './fields.ts';

const maxArguments = 200;
const maxFiles = 100;
const maxFilesBytes = 4 * 1024 * 1024;
const maxSourceLength = 1_000_000;
const mebibyte = 1024 * 1024;

export interface DeclaredProgram {
  readonly program: Program;
  readonly sandbox: SandboxTerms;
}

/** Undefined for a tool that is a function. @throws AxleError `contract-invalid` */
export function readProgram(fields: Fields): DeclaredProgram | undefined {
  const { run, sandbox } = fields.values;
  if (run === undefined) {
    if (sandbox === undefined || sandbox === 'none') return undefined;
    throw invalid(
      fields,
      'sandbox',
      "'none' or left out beside execute, since a function runs in process; a sandbox is for run",
    );
  }
  if (fields.values['execute'] !== undefined) {
    throw invalid(fields, 'run', 'left out beside execute: a tool has one body');
  }
  if (!isRecord(run)) throw invalid(fields, 'run', 'an object with command or with source');
  return Object.freeze({ program: readBody(fields, run), sandbox: readSandbox(fields) });
}

function readBody(fields: Fields, run: Readonly<Record<string, unknown>>): Program {
  if (run['source'] === undefined) return readCommand(part(fields, 'run', commandFields));
  const inner = part(fields, 'run', ['source']);
  const { source } = inner.values;
  if (typeof source !== 'string' || source.trim() === '' || source.length > maxSourceLength) {
    throw invalid(inner, 'source', `JavaScript of 1 to ${maxSourceLength} characters`);
  }
  return Object.freeze({ source });
}

const commandFields = ['command', 'stdin', 'stdout', 'files', 'produces', 'environment'];

function readCommand(fields: Fields): CommandProgram {
  const { command, stdin, files, environment } = fields.values;
  if (
    !Array.isArray(command) ||
    command.length === 0 ||
    command.length > maxArguments ||
    typeof command[0] !== 'string'
  ) {
    throw invalid(fields, 'command', `a list of 1 to ${maxArguments} texts, the program first`);
  }
  const words = command.map((word: unknown): string | FromInput | FromAlias => {
    if (isFromInput(word)) return Object.freeze({ input: word.input });
    if (isAlias(word)) return Object.freeze({ alias: word.alias });
    if (typeof word === 'string' && !word.includes('\0')) return word;
    throw invalid(fields, 'command', "a list of texts, { input: 'field' } and { alias: 'name' }");
  });
  if (words[0] === '') throw invalid(fields, 'command', 'a list whose first text names a program');
  if (stdin !== undefined && stdin !== 'json' && !isFromInput(stdin)) {
    throw invalid(fields, 'stdin', "'json' or { input: 'field' }");
  }
  const stdout = oneOf(fields, 'stdout', ['json', 'text']);
  const produces = readProduced(fields);
  return Object.freeze({
    command: Object.freeze(words),
    ...(stdin === undefined ? {} : { stdin: isFromInput(stdin) ? Object.freeze({ input: stdin.input }) : 'json' }),
    ...(stdout === undefined ? {} : { stdout }),
    ...(files === undefined ? {} : { files: readFiles(fields, files) }),
    ...(produces === undefined ? {} : { produces }),
    ...(environment === undefined ? {} : { environment: readEnvironment(fields, environment) }),
  });
}

function isFromInput(value: unknown): value is FromInput {
  return (
    isRecord(value) && Object.keys(value).length === 1 && typeof value['input'] === 'string' && value['input'] !== ''
  );
}

function isFileFromInput(value: unknown): value is FileFromInput {
  if (!isRecord(value)) return false;
  const { encoding, ...rest } = value;
  return isFromInput(rest) && (encoding === undefined || encoding === 'base64');
}

function readFiles(fields: Fields, files: unknown): Readonly<Record<string, string | FileFromInput | FromAlias>> {
  const wanted = `an object of at most ${maxFiles} relative paths, each with its text, { input: 'field' } or { alias: 'name' }, ${maxFilesBytes} bytes together`;
  if (!isRecord(files) || Object.keys(files).length > maxFiles) throw invalid(fields, 'files', wanted);
  let sizeBytes = 0;
  const read: Record<string, string | FileFromInput | FromAlias> = {};
  for (const [path, text] of Object.entries(files)) {
    const steps = path.split('/');
    // The names that every file system takes; neither `..` nor a leading slash leads out of the folder.
    if (
      !(typeof text === 'string' || isFileFromInput(text) || isAlias(text)) ||
      steps.length > 10 ||
      !steps.every((step) => /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(step))
    ) {
      throw invalid(fields, 'files', `${wanted} (${path} is not)`);
    }
    if (typeof text === 'string') sizeBytes += Buffer.byteLength(text);
    read[path] = typeof text === 'string' ? text : Object.freeze({ ...text });
  }
  if (sizeBytes > maxFilesBytes) throw invalid(fields, 'files', wanted);
  return Object.freeze(read);
}

/** Variables by which a loader or a shell is made to run something else. */
const loaderVariables = /^(?:LD_|DYLD_|BASH_ENV$|ENV$|SHELLOPTS$|BASHOPTS$|PS4$|IFS$)/;

function readEnvironment(
  fields: Fields,
  environment: unknown,
): Readonly<Record<string, string | FromVariable | FromAlias>> {
  const wanted = "an object of names, each with a text, { variable: 'NAME' } or { alias: 'name' }";
  if (!isRecord(environment) || Object.keys(environment).length > maxFiles) {
    throw invalid(fields, 'environment', wanted);
  }
  const read: Record<string, string | FromVariable | FromAlias> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (!isVariableName(name) || loaderVariables.test(name)) {
      throw invalid(fields, 'environment', `${wanted} (${name} is no name that a program may be given)`);
    }
    if (typeof value === 'string' && !value.includes('\0') && value.length <= 100_000) read[name] = value;
    else if (isAlias(value)) read[name] = Object.freeze({ alias: value.alias });
    else if (isRecord(value) && isVariableName(value['variable'])) {
      read[name] = Object.freeze({ variable: value['variable'] });
    } else throw invalid(fields, 'environment', `${wanted} (${name} has neither)`);
  }
  return Object.freeze(read);
}

function isAlias(value: unknown): value is FromAlias {
  return isFromAlias(value) && isAliasName(value.alias);
}

function isVariableName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(value);
}

function readSandbox(fields: Fields): SandboxTerms {
  if (fields.values['sandbox'] === 'none') {
    return Object.freeze({ properties: Object.freeze([]), limits: defaultLimits, network: Object.freeze([]) });
  }
  const inner = part(fields, 'sandbox', ['needs', 'limits', 'network']);
  const properties = readProperties(inner);
  const network = readNetwork(inner);
  if (network.length > 0 && !properties.includes('network')) {
    throw invalid(inner, 'network', 'left out where the network is not held back, and so is open anyway');
  }
  return Object.freeze({ properties, limits: readLimits(inner), network });
}

/** `host` or `host:port`; undefined for what is neither. */
export function networkPlace(text: string): NetworkPlace | undefined {
  const [, host = '', port = '443'] = /^([A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?$/.exec(text) ?? [];
  // A URL spells a host in one way; what it would spell otherwise (`127.1`) is not what was meant.
  const isHost =
    host !== '' && URL.canParse(`http://${host}/`) && new URL(`http://${host}/`).hostname === host.toLowerCase();
  if (!isHost || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { host: host.toLowerCase(), port: Number(port) };
}

const maxPlaces = 100;

function readNetwork(fields: Fields): readonly (NetworkPlace | FromAlias)[] {
  const places: unknown = fields.values['network'] ?? [];
  const wanted = `a list of at most ${maxPlaces} hosts, each with a port or without (443)`;
  if (!Array.isArray(places) || places.length > maxPlaces) throw invalid(fields, 'network', wanted);
  return Object.freeze(
    places.map((place: unknown): NetworkPlace | FromAlias => {
      if (isAlias(place)) return Object.freeze({ alias: place.alias });
      const read = networkPlace(String(place));
      if (read === undefined) throw invalid(fields, 'network', `${wanted} (${JSON.stringify(place)} is none)`);
      return Object.freeze(read);
    }),
  );
}

function readProperties(fields: Fields): readonly SandboxProperty[] {
  const { needs } = fields.values;
  if (needs === undefined) return sandboxProperties;
  const wanted = `a list of ${sandboxProperties.join(', ')}`;
  if (!Array.isArray(needs)) throw invalid(fields, 'needs', wanted);
  const stray: unknown = needs.find((need: unknown) => !sandboxProperties.some((each) => each === need));
  if (stray !== undefined) throw invalid(fields, 'needs', `${wanted} (${JSON.stringify(stray)} is none)`);
  return Object.freeze(sandboxProperties.filter((each) => needs.includes(each)));
}

/** What a program may use up when nothing is said: enough for a script, little enough for a few hundred at a time. */
export const defaultLimits: SandboxLimits = Object.freeze({
  cpuMs: 10_000,
  memoryBytes: 1024 * mebibyte,
  maxProcesses: 64,
  diskBytes: 64 * mebibyte,
  outputBytes: mebibyte,
});

function readLimits(fields: Fields): SandboxLimits {
  const limits = part(fields, 'limits', ['cpu', 'memory', 'processes', 'disk', 'output']);
  const size = (field: string, fromBytes: number, toBytes: number): number | undefined => {
    const value = limits.values[field];
    if (value === undefined) return undefined;
    const sizeBytes = parseSizeBytes(value);
    if (sizeBytes !== undefined && sizeBytes >= fromBytes && sizeBytes <= toBytes) return sizeBytes;
    throw invalid(limits, field, `bytes or a text such as '64MB', from ${fromBytes} to ${toBytes} bytes`);
  };
  return Object.freeze({
    cpuMs: optionalDurationMs(limits, 'cpu', { fromMs: 1, toMs: 86_400_000 }) ?? defaultLimits.cpuMs,
    memoryBytes: size('memory', mebibyte, 1024 * 1024 * mebibyte) ?? defaultLimits.memoryBytes,
    maxProcesses:
      optionalNumber(limits, 'processes', { from: 1, to: 10_000, whole: true }) ?? defaultLimits.maxProcesses,
    diskBytes: size('disk', 4096, 1024 * 1024 * mebibyte) ?? defaultLimits.diskBytes,
    outputBytes: size('output', 1, 64 * mebibyte) ?? defaultLimits.outputBytes,
  });
}
