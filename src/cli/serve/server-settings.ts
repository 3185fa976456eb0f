/** What the options of `axle serve`, `axle dev` and `axle open` say of the server. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import type { ListenOptions } from '../../server/listen.ts';
import type { ServerToken } from '../../server/request/tokens.ts';
import { isRecord } from '../../util/json.ts';
import type { Invocation, OptionDeclaration } from '../command.ts';

export const listenOptions: Readonly<Record<string, OptionDeclaration>> = {
  host: { value: 'ADDRESS', about: 'where to listen (default 127.0.0.1); any other than this machine needs a token' },
  port: { value: 'PORT', about: 'the port (default 4983); 0 takes a free one' },
};

export const tokenOptions: Readonly<Record<string, OptionDeclaration>> = {
  token: { about: 'every request needs a token: AXLE_TOKEN of the environment, else one that is made and printed' },
  tokens: { value: 'FILE', about: 'the tokens that count, as JSON: a list of { name, sha256, scopes }' },
};

export interface ServerSettings {
  readonly listen: ListenOptions;
  readonly tokens: readonly ServerToken[];
  /** A token that was made now: nobody else knows it. */
  readonly madeToken?: string;
}

/** @throws AxleError `usage-invalid`, `configuration-invalid` */
export async function readSettings(invocation: Invocation): Promise<ServerSettings> {
  const host = invocation.text('host');
  const port = portOf(invocation);
  const listen = { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }) };
  const file = invocation.text('tokens');
  const tokens = file === undefined ? [] : readTokens(resolve(file));
  if (!invocation.has('token')) return { listen, tokens };
  const known = process.env['AXLE_TOKEN'];
  if (known !== undefined && known !== '') return { listen, tokens: [...tokens, { name: 'AXLE_TOKEN', token: known }] };
  const { createToken } = await import('../../server/request/tokens.ts');
  const { token, sha256 } = createToken();
  return { listen, tokens: [...tokens, { name: 'printed at the start', sha256 }], madeToken: token };
}

function portOf(invocation: Invocation): number | undefined {
  const given = invocation.text('port');
  if (given === undefined) return undefined;
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw invocation.usage(`--port is a number from 0 to 65535, and not ${given}.`);
}

/** Of what is in the list `createServer` says what is wrong. @throws AxleError `configuration-invalid` */
function readTokens(path: string): readonly ServerToken[] {
  let list: unknown;
  try {
    list = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new AxleError('configuration-invalid', `The tokens in ${path} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
  if (!Array.isArray(list) || list.length === 0 || !list.every(isToken)) {
    throw new AxleError('configuration-invalid', `${path} is not a list of tokens, each with name and sha256.`);
  }
  return list;
}

function isToken(value: unknown): value is ServerToken {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['sha256'] === 'string';
}
