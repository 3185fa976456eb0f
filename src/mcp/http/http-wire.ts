/** The wire to a server on the network: the guarded client under the SDK's transport, with the proofs of who asks. */
import { guardedFetch } from '../../http-client/guarded-fetch.ts';
import { createHttpClient } from '../../http-client/http-client.ts';
import type { Credential } from '../../http-client/secret.ts';
import { defined } from '../../util/defined.ts';
import { longestWaitMs } from '../../util/system-clock.ts';
import { loadSdk } from '../load-sdk.ts';
import { invalid, type McpHttpOptions } from '../mcp-options.ts';
import type { Wire } from '../wire.ts';
import { HttpTransport } from './http-transport.ts';

/**
 * Limits for streams that stay open and silent as long as nothing happens. How long a call may take is the connection's to say, how large an answer may be the
 * transport's.
 */
const limits = {
  responseTimeoutMs: longestWaitMs,
  idleTimeoutMs: longestWaitMs,
  totalTimeoutMs: longestWaitMs,
  maxResponseBytes: Number.MAX_SAFE_INTEGER,
  maxRequestBytes: 16 * 1_048_576,
};

/** @throws AxleError `configuration-invalid` */
export function httpWire(options: McpHttpOptions): {
  readonly wire: () => Promise<Wire>;
  readonly redact?: (text: string) => string;
} {
  const { name, allow, ca } = options;
  const url = readUrl(options);
  const credentials = [...(options.credentials ?? []), ...readHeaders(name, options.headers ?? {})];
  const client = createHttpClient(defined({ allow, ca }));
  const fetch = guardedFetch(client, { credentials, origin: url.origin, limits });
  const plain = plainHeaders(options.headers ?? {});
  return {
    wire: async () => {
      const { StreamableHTTPClientTransport } = await loadSdk();
      return new HttpTransport({ url, headers: plain, fetch, Transport: StreamableHTTPClientTransport });
    },
    ...(credentials.length === 0 ? {} : { redact: (text: string) => client.redact(text) }),
  };
}

function readUrl({ name, url }: McpHttpOptions): URL {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || (read.protocol !== 'https:' && read.protocol !== 'http:')) {
    throw invalid(name, `its url must be an absolute https or http URL, not ${JSON.stringify(url)}`);
  }
  if (read.username !== '' || read.password !== '') {
    throw invalid(name, 'its url holds a user name or password; name a secret in headers or credentials instead');
  }
  return read;
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

function isSecret(value: string): boolean {
  return value.includes('${');
}

/** The headers whose values end with a reference to a secret. */
function readHeaders(name: string, headers: Readonly<Record<string, string>>): readonly Credential[] {
  return Object.entries(headers)
    .filter(([, value]) => isSecret(value))
    .map(([header, value]) => {
      const secret = reference.exec(value)?.[1];
      const prefix = value.replace(reference, '');
      if (secret === undefined || isSecret(prefix)) {
        throw invalid(name, `the header ${header} must be a text with one \${NAME} at its end`);
      }
      return { kind: 'header', name: header, value: { secret }, prefix };
    });
}

function plainHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => !isSecret(value)));
}
