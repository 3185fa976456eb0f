/** Hono is an optional peer, loaded when the first request comes or the server listens: whoever only runs agents does not need it. */
import type * as NodeServer from '@hono/node-server';
import type * as Hono from 'hono';
import type * as Compress from 'hono/compress';
import { AxleError } from '../error/axle-error.ts';

/** @throws AxleError `peer-missing` with the line that installs it. */
export async function loadHono(): Promise<Pick<typeof Hono, 'Hono'> & Pick<typeof Compress, 'compress'>> {
  try {
    const [{ Hono }, { compress }] = await Promise.all([import('hono'), import('hono/compress')]);
    return { Hono, compress };
  } catch (cause) {
    throw missing('hono', cause);
  }
}

/** @throws AxleError `peer-missing` with the line that installs it. */
export async function loadNodeServer(): Promise<Pick<typeof NodeServer, 'getRequestListener'>> {
  try {
    return await import('@hono/node-server');
  } catch (cause) {
    throw missing('@hono/node-server', cause);
  }
}

function missing(name: string, cause: unknown): AxleError {
  return new AxleError('peer-missing', `axle/http needs the package ${name}, which is not installed.`, {
    cause,
    remedy: 'npm install hono@4 @hono/node-server@2',
  });
}
