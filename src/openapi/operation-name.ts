/**
 * Names of tools for operations.
 *
 * N1 A name follows from the operation alone (its `operationId`, else method and path), so it stays when others come and go.
 * N2 Where two operations would have one name, each is told apart by a hash of its own identity; only one whose `operationId` is this very name keeps it.
 * N3 A `/` of an `operationId` becomes a dot, so that its groups can be granted together (`github.issues.*`).
 */
import { sha256 } from '../util/hash.ts';
import { labelOf, type Operation } from './operation.ts';

/** Names of tools have at most 128 characters. */
const maxLength = 128;
const hashLength = 8;

/** One name for each operation, in their order; all start with `prefix` and a dot. */
export function operationNames(operations: readonly Operation[], prefix: string): readonly string[] {
  const readable = operations.map((operation) => readableName(operation));
  const counts = new Map<string, number>();
  for (const name of readable) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isOwn = (index: number): boolean => operations[index]?.operationId === readable[index];
  const room = maxLength - prefix.length - 1;
  return operations.map((operation, index) => {
    const name = readable[index] ?? '';
    const rivals = readable.flatMap((each, other) => (each === name && isOwn(other) ? [other] : []));
    const keeps = (counts.get(name) ?? 0) === 1 || (rivals.length === 1 && rivals[0] === index);
    if (keeps && name.length <= room) return `${prefix}.${name}`;
    const hash = sha256(`${operation.operationId ?? ''} ${labelOf(operation)}`).slice(0, hashLength);
    return `${prefix}.${name.slice(0, room - hashLength - 1)}_${hash}`;
  });
}

function readableName(operation: Operation): string {
  const { operationId, method, path } = operation;
  const source = operationId?.replaceAll('/', '.') ?? `${method}${path}`;
  const legal = source
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[._-]+/, '')
    .replace(/[._-]+$/, '');
  return legal === '' ? method : legal;
}
