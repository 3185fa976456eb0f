/** What tests of OpenAPI documents share: a source over a document, and the contract of one body. */
import { expect } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { openApiTools, type OpenApiOptions, type OpenApiSource } from '../../src/openapi/openapi-tools.ts';
import { toolOf } from './service.ts';

export const server = 'https://api.example.com';

export function sourceOf(
  paths: object,
  options: Partial<OpenApiOptions> & { readonly more?: object; readonly version?: string } = {},
): OpenApiSource {
  const { more = {}, version = '3.1.0', ...rest } = options;
  const document = { openapi: version, info: { title: 'A', version: '1' }, paths, ...more };
  return openApiTools({ name: 'api', document, server, ...rest });
}

/** The schema of a body, as the tool has it. */
export async function bodyOf(schema: object, schemas: object = {}, version = '3.1.0'): Promise<Contract> {
  const content = { 'application/json': { schema } };
  const source = sourceOf(
    { '/a': { post: { operationId: 'make', requestBody: { required: true, content } } } },
    { version, more: { components: { schemas } } },
  );
  const contracts = await source.connect();
  expect(source.refused).toEqual([]);
  return toolOf(contracts, 'make');
}

export const admits = (contract: Contract, body: unknown): boolean => contract.input.check({ body } as never).ok;
