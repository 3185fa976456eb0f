/** What tells this process from others of its service, in which the same metrics are counted. */
import { randomUUID } from 'node:crypto';
import { attribute } from './conventions.ts';

let made: string | undefined;

export function instanceId(): Readonly<Record<string, string>> {
  made ??= randomUUID();
  return { [attribute.serviceInstance]: made };
}
