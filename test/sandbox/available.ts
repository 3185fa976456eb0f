/** Which sandboxes a machine has. A missing one is named with its reason; where everything is required it is a failure. */
import process from 'node:process';
import { expect, type TestContext } from 'vitest';
import type { Proof, SandboxDriver } from '../../src/execute/sandbox/sandbox-driver.ts';

type Proven = Extract<Proof, { kind: 'proven' }>;

const required = (process.env['AXLE_REQUIRE'] ?? '').split(',');

export function isRequired(name: string): boolean {
  return required.includes('all') || required.includes(name);
}

/** The proof of a driver; undefined, and said so, when this machine cannot run it and need not. */
export async function proofOf(driver: SandboxDriver, thorough: boolean): Promise<Proven | undefined> {
  const proof = await driver.probe({ thorough });
  if (proof.kind === 'proven') return proof;
  console.log(`SKIPPED ${driver.id}: ${proof.reason}`);
  expect(isRequired(driver.id), `${driver.id} is required here: ${proof.reason}`).toBe(false);
  return undefined;
}

/** The proof of a driver that a test needs. Where there is none and need not be, the test is skipped, and is not counted as passed. */
export async function needed(
  driver: SandboxDriver,
  skip: TestContext['skip'],
  { thorough = false }: { readonly thorough?: boolean } = {},
): Promise<Proven> {
  return (await proofOf(driver, thorough)) ?? skip(cannotRun(driver));
}

/** Why a test of a driver is skipped. */
export function cannotRun({ id }: Pick<SandboxDriver, 'id'>): string {
  return `this machine cannot run ${id}`;
}

export const openProbes = (proof: Proven): readonly string[] =>
  proof.probes.filter(({ verdict }) => verdict === 'open').map(({ property, probe }) => `${property}: ${probe}`);
