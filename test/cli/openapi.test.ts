import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const document = `
openapi: 3.1.0
info: { title: Pets, version: '1' }
paths:
  /pets:
    get: { operationId: pets.list, summary: Lists pets. }
    post: { operationId: pets.add }
  /pets/{id}:
    delete: { operationId: pets.remove, parameters: [{ in: path, name: id, required: true }] }
    get: { operationId: pets.get }
`;

test('axle openapi lists the tools of a document with their terms, and says what is left out', async () => {
  const folder = new Folder('');
  folder.write('pets.yaml', document);
  const { code, stdout, stderr } = await folder.axle('openapi', 'pets.yaml', '--name', 'shop');
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, ' | ')),
  ).toEqual([
    'shop.pets.list | read low | Lists pets.',
    'shop.pets.add | write medium | POST /pets.',
    'shop.pets.remove | write high irreversible | DELETE /pets/{id}.',
  ]);
  expect(stderr).toContain('Left out: GET /pets/{id}: its path has {id}');
});

test('axle openapi --json prints contracts, and --include chooses', async () => {
  const folder = new Folder('');
  folder.write('pets.yaml', document);
  const { code, value } = await folder.json('openapi', 'pets.yaml', '--include', 'DELETE *');
  expect(code).toBe(0);
  expect(value).toMatchObject({
    tools: [{ name: 'api.pets.remove', effect: 'write', input: { required: ['id'] } }],
    refused: [],
    warnings: [],
  });
});

test('axle openapi says what is wrong with a file', async () => {
  const folder = new Folder('');
  const { code, value } = await folder.json('openapi', 'none.yaml');
  expect(code).toBe(3);
  expect(value).toMatchObject({ error: { code: 'configuration-invalid' } });
});
