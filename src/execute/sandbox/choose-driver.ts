/** Which sandbox driver runs a program: the cheapest whose proof covers what the contract needs. None is an answer, a weaker one is not. */
import type { SandboxProperty } from '../../call/isolation.ts';
import type { Proof, SandboxCode, SandboxDriver } from './sandbox-driver.ts';

export type Choice =
  | { readonly kind: 'chosen'; readonly driver: SandboxDriver }
  | { readonly kind: 'none'; readonly reason: string };

/** Proves drivers one after another, the cheapest first, and stops at the first that will do. `proofOf` may remember. */
export async function chooseDriver(
  drivers: readonly SandboxDriver[],
  needs: {
    readonly runs: SandboxCode['kind'];
    readonly properties: readonly SandboxProperty[];
    readonly reaches: boolean;
  },
  proofOf: (driver: SandboxDriver) => Promise<Proof>,
): Promise<Choice> {
  const reasons: string[] = [];
  const suited = drivers.filter((driver) => driver.runs === needs.runs);
  for (const driver of suited.toSorted((left, right) => left.startMs - right.startMs)) {
    if (needs.reaches && !driver.grantsNetwork) {
      reasons.push(`${driver.id} cannot let a program reach chosen hosts`);
      continue;
    }
    // Where nothing is needed nothing is to be proven.
    if (needs.properties.length === 0) return { kind: 'chosen', driver };
    const proof = await proofOf(driver);
    if (proof.kind === 'unusable') {
      reasons.push(`${driver.id} cannot be used: ${proof.reason}`);
      continue;
    }
    const missing = needs.properties.filter((property) => !proof.properties.includes(property));
    if (missing.length === 0) return { kind: 'chosen', driver };
    reasons.push(`${driver.id} does not hold back ${missing.join(', ')}`);
  }
  const what = needs.runs === 'source' ? 'JavaScript source' : 'commands';
  return { kind: 'none', reason: reasons.length === 0 ? `no sandbox for ${what} is set up` : reasons.join('; ') };
}
