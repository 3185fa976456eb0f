/**
 * A real operation: it becomes one tool, with the effect that its record names and a name that providers take and that no other record's tool has; and a call
 * with the least that its schema asks for arrives at a server of this machine as the method and path that the operation says.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { agent, type Contract, createAxle, type Policy } from 'axle';
import { brainFromModel } from 'axle/ai-sdk';
import { openApiTools } from 'axle/openapi';
import { effectOf, type Fields, fieldsOf, isFields, RecordFault, textOf } from '../fields.ts';
import type { Format } from '../format.ts';
import { right, type Verdict, wrong } from '../verdict.ts';

/** Aliases of all records of this process, with the operation that has each. */
const aliases = new Map<string, string>();

export const openApiOperations: Format = {
  name: 'openapi_tools',
  measure: async (record) => {
    const method = textOf(record['method'], 'method');
    const path = textOf(record['path'], 'path');
    const service = textOf(record['service'], 'service');
    const effect = effectOf(record['effect']);
    const arrived: string[] = [];
    const server = createServer((request, response) => {
      arrived.push(`${request.method} ${request.url?.split('?')[0]}`);
      request.resume();
      response.setHeader('content-type', 'application/json').end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      const port = isFields(address) && typeof address.port === 'number' ? address.port : 0;
      const source = openApiTools({
        name: service.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64),
        document: documentOf(record, { method, path }),
        server: `http://127.0.0.1:${port}`,
        http: { allow: [`127.0.0.1:${port}`] },
      });
      const [contract, ...more] = await source.connect();
      if (contract === undefined) return wrong(source.refused[0]?.reason ?? 'no tool came of it');
      if (more.length > 0) return wrong('more than one tool came of it');
      if (contract.effect !== effect) return wrong(`it counts as ${contract.effect}`);
      const fault = aliasFault(await aliasOf(contract), `${service} ${method} ${path}`);
      if (fault !== undefined) return fault;
      await using axle = await createAxle({ store: ':memory:', tools: [contract], log: () => {}, policy: allowAll });
      const result = await axle.call(contract.name, leastOf(contract.input.json, contract.input.json));
      if (result.status !== 'completed') return wrong(`a call of it came to ${JSON.stringify(result).slice(0, 300)}`);
      const template = new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`);
      return template.test(arrived[0] ?? '') ? right : wrong(`what arrived was ${arrived[0] ?? 'nothing'}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
};

const allowAll: Policy = () => ({ kind: 'allow', rule: 'cases' });

function documentOf(record: Fields, { method, path }: { readonly method: string; readonly path: string }): Fields {
  const operation = fieldsOf(record['openapi'], 'openapi');
  const components: Record<string, Record<string, unknown>> = {};
  for (const [pointer, value] of Object.entries(fieldsOf(record['components'] ?? {}, 'components'))) {
    const [, kind, ...name] = pointer.replace(/^#\//, '').split('/');
    if (kind === undefined) throw new RecordFault(`${pointer} is no component`);
    (components[kind] ??= {})[name.join('/')] = value;
  }
  return {
    openapi: '3.0.3',
    info: { title: textOf(record['service'], 'service'), version: '1' },
    paths: { [path]: { [method]: { operationId: record['operationId'], ...operation } } },
    components,
  };
}

/** What a provider is told as the name of the tool. */
async function aliasOf(contract: Contract): Promise<string> {
  let alias = '';
  const model = brainFromModel({
    specificationVersion: 'v3',
    provider: 'none',
    modelId: 'none',
    doGenerate: (options: { readonly tools?: readonly { readonly name: string }[] }) => {
      alias = options.tools?.[0]?.name ?? '';
      return Promise.resolve({
        content: [{ type: 'text', text: 'end' }],
        finishReason: 'stop',
        usage: {},
        warnings: [],
      });
    },
  } as never);
  await using axle = await createAxle({
    store: ':memory:',
    tools: [contract],
    agents: [agent({ name: 'subject', model, tools: [contract.name] })],
    log: () => {},
  });
  await (await axle.start('subject', { input: 'Say your tools.' })).result();
  return alias;
}

function aliasFault(alias: string, operation: string): Verdict | undefined {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(alias)) return wrong(`${JSON.stringify(alias)} is no name that providers take`);
  const known = aliases.get(alias);
  aliases.set(alias, operation);
  return known === undefined || known === operation ? undefined : wrong(`${alias} is also ${known}`);
}

/** The smallest value that a schema asks for: what is required, of the first type it names. */
function leastOf(schema: unknown, root: Fields, depth = 0): unknown {
  if (!isFields(schema) || depth > 12) return 'x';
  const { $ref: reference, enum: listed, allOf, anyOf, oneOf, type, properties, required, minimum } = schema;
  if (typeof reference === 'string') {
    return leastOf(fieldsOf(root['$defs'], '$defs')[reference.replace('#/$defs/', '')], root, depth + 1);
  }
  if (Array.isArray(listed)) return listed[0];
  for (const choice of [anyOf, oneOf, allOf]) if (Array.isArray(choice)) return leastOf(choice[0], root, depth + 1);
  switch (Array.isArray(type) ? type[0] : (type ?? (isFields(properties) ? 'object' : 'string'))) {
    case 'object': {
      const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
      const members = isFields(properties) ? properties : {};
      return Object.fromEntries(names.map((name) => [name, leastOf(members[name], root, depth + 1)]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'x';
  }
}
