/** From single attempts to a proof, and the words for a job that should have run and did not. */
import { sandboxProperties } from '../../call/isolation.ts';
import type { ProbeResult, Proof, SandboxJob, SandboxResult } from '../../execute/sandbox/sandbox-driver.ts';

/** Runs a command for a probe. */
export type RunProbe = (command: readonly string[], more?: Partial<SandboxJob>) => Promise<SandboxResult>;

/** What no attempt broke and at least one attempt tried. */
export function proofOf(probes: readonly ProbeResult[], notes: readonly string[]): Proof {
  const broken = probes.find(
    ({ property, verdict }) => (property === 'time' || property === 'output') && verdict === 'open',
  );
  if (broken !== undefined) {
    return { kind: 'unusable', reason: `it does not hold the limit of ${broken.property}: ${broken.probe}` };
  }
  const properties = sandboxProperties.filter((property) => {
    const verdicts = probes.filter((probe) => probe.property === property).map(({ verdict }) => verdict);
    return verdicts.includes('contained') && !verdicts.includes('open');
  });
  return { kind: 'proven', properties, probes, notes };
}

export function whatWasSaid({ end, stderr }: SandboxResult): string {
  const reason =
    end.kind === 'not-started'
      ? end.reason
      : end.kind === 'exit'
        ? `it ended with code ${end.code}`
        : `its end was: ${end.kind}`;
  return stderr.trim() === '' ? reason : `${reason} (${stderr.trim().slice(0, 300)})`;
}
