import { describe, expect, test } from 'vitest';
import { registryOf } from '../../src/contract/registry.ts';
import { tool } from '../../src/contract/tool.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { isAxleError } from '../../src/error/axle-error.ts';

const named = (name: string, version = 1): Contract =>
  tool({ name, version, description: 'd', input: { type: 'object' }, execute: () => null });

function thrown(action: () => unknown): { code: string; message: string } | undefined {
  try {
    action();
  } catch (error) {
    if (isAxleError(error)) return { code: error.code, message: error.message };
  }
  return undefined;
}

describe('a registry', () => {
  const registry = registryOf([
    named('refund', 2),
    named('crm.find'),
    named('refund', 10),
    named('crm.update'),
    named('crmx'),
  ]);

  test('finds the newest version of a name, or the one that is asked for', () => {
    expect(registry.get('refund')?.version).toBe(10);
    expect(registry.get('refund', 2)?.version).toBe(2);
    expect(registry.get('refund', 3)).toBeUndefined();
    expect(registry.get('toString')).toBeUndefined();
    expect(registry.names).toEqual(['refund', 'crm.find', 'crm.update', 'crmx']);
  });

  test('selects by name and by group, each tool once', () => {
    const select = (...patterns: string[]): string[] =>
      registry.select(patterns).map((contract) => `${contract.name}@${contract.version}`);
    expect(select('crm.*')).toEqual(['crm.find@1', 'crm.update@1']);
    expect(select('refund', 'crm.find', 'crm.*')).toEqual(['refund@10', 'crm.find@1', 'crm.update@1']);
    expect(select('*')).toHaveLength(4);
    expect(select()).toEqual([]);
  });

  test('says which name is near when a pattern names nothing', () => {
    expect(thrown(() => registry.select(['refunds']))).toEqual({
      code: 'tool-not-granted',
      message: 'No registered tool is named refunds. The nearest is refund.',
    });
    expect(thrown(() => registry.select(['erp.*']))?.code).toBe('tool-not-granted');
  });

  test('refuses the same name and version twice', () => {
    expect(thrown(() => registryOf([named('a'), named('a')]))?.code).toBe('contract-duplicate');
  });
});
