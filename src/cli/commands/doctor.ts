import { type SandboxProperty, sandboxProperties } from '../../call/isolation.ts';
import type { Proof, SandboxDriver } from '../../execute/sandbox/sandbox-driver.ts';
import { oneLine, padToColumns } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { machineChecks, sandboxChecks } from '../machine-checks.ts';
import type { Terminal } from '../terminal.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  about:
    'find out what this machine can do: Node, configuration, store, and its sandboxes by trying to break out of them',
  positionals: [],
  options: {
    sandbox: { about: 'try to break out of every sandbox, and say what each holds back' },
    probes: { about: 'list every attempt' },
  },
  details:
    'Alone it says whether Node, its SQLite, the configuration and the store are as they must be, and which sandboxes can be used; exit code 1 when something is not. With --sandbox, attempts open and never write. The sandboxes are those of the configuration, else subprocess, quickjs, bubblewrap and docker. Exit code 1 when an attempt gets out of one that is meant as a boundary; one that cannot be used here is named with its reason.',
  examples: ['axle doctor', 'axle doctor --sandbox', 'axle doctor --sandbox --probes', 'axle doctor --sandbox --json'],
  run: doctor,
};

/** A driver with what was found out about it. */
interface Examined {
  readonly id: string;
  readonly isBoundary: boolean;
  readonly proof: Proof;
}

/** What runs without a sandbox: a function can do what the process can, so there is nothing to try. */
const inProcess = 'in-process';

async function doctor(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  if (!invocation.has('sandbox')) {
    if (invocation.has('probes')) throw invocation.usage('--probes lists the attempts of --sandbox.');
    return lookAround(invocation);
  }
  const config = await place.knownConfig();
  const drivers = config?.sandboxes ?? (await everySandbox());
  const examined: Examined[] = [];
  // One after another: attempts that take too much must not be in each other's way.
  for (const driver of drivers) {
    terminal.note(`trying ${driver.id}`);
    examined.push(await examine(driver));
  }
  if (terminal.isJson) {
    const nothing = { id: inProcess, isBoundary: false, kind: 'proven', properties: [], probes: [], notes: [] };
    terminal.json({ sandboxes: [nothing, ...examined.map(({ proof, ...driver }) => ({ ...driver, ...proof }))] });
  } else {
    say(terminal, examined, invocation.has('probes'));
  }
  return examined.some(isBroken) ? 'failed' : 'ok';
}

/** What must be there, and what may be. */
async function lookAround({ terminal, place }: Invocation): Promise<ExitName> {
  const needed = await machineChecks(place);
  const isLoaded = needed.every(({ name, verdict }) => name !== 'configuration' || verdict !== 'failed');
  const config = isLoaded ? await place.knownConfig() : undefined;
  const checks = [...needed, ...(await sandboxChecks(config?.sandboxes ?? (await everySandbox())))];
  if (terminal.isJson) terminal.json({ checks });
  else {
    for (const { name, verdict, detail, remedy } of checks) {
      const mark = { ok: 'ok', failed: 'FAILED', note: '-' }[verdict];
      terminal.say(`${padToColumns(mark, 7)} ${padToColumns(name, 20)} ${oneLine(detail)}`.trimEnd());
      if (remedy !== undefined) terminal.say(`${' '.repeat(29)}${oneLine(remedy)}`);
    }
  }
  return checks.some(({ verdict }) => verdict === 'failed') ? 'failed' : 'ok';
}

async function everySandbox(): Promise<readonly SandboxDriver[]> {
  const { defaultSandboxes } = await import('../../sandbox/default-sandboxes.ts');
  const { docker } = await import('../../sandbox/docker/docker-driver.ts');
  return [...defaultSandboxes(), docker()];
}

async function examine(driver: SandboxDriver): Promise<Examined> {
  const { id, isBoundary } = driver;
  try {
    return { id, isBoundary, proof: await driver.probe({ thorough: true }) };
  } finally {
    await driver.close();
  }
}

function isBroken({ isBoundary, proof }: Examined): boolean {
  return isBoundary && proof.kind === 'proven' && proof.probes.some(({ verdict }) => verdict === 'open');
}

const nameColumns = 12;

function say(terminal: Terminal, examined: readonly Examined[], withProbes: boolean): void {
  const row = (name: string, cells: readonly string[]): string =>
    [padToColumns(name, nameColumns), ...cells.map((cell) => padToColumns(cell, 11))].join(' ').trimEnd();
  terminal.say(row('', sandboxProperties));
  terminal.say(`${padToColumns(inProcess, nameColumns)} holds nothing back: a function can do what its process can`);
  for (const { id, proof } of examined) {
    const cells =
      proof.kind === 'unusable'
        ? [`cannot be used: ${oneLine(proof.reason)}`]
        : sandboxProperties.map((property) => cellOf(proof, property));
    terminal.say(row(oneLine(id), cells));
  }
  for (const each of examined) sayMore(terminal, each, withProbes);
}

function cellOf({ probes, properties }: Extract<Proof, { kind: 'proven' }>, property: SandboxProperty): string {
  const open = probes.filter((probe) => probe.property === property && probe.verdict === 'open').length;
  if (open > 0) return `OPEN (${open})`;
  return properties.includes(property) ? 'held' : 'not tried';
}

function sayMore(terminal: Terminal, { id, isBoundary, proof }: Examined, withProbes: boolean): void {
  if (proof.kind === 'unusable') return;
  const count = (verdict: string): number => proof.probes.filter((probe) => probe.verdict === verdict).length;
  const kind = isBoundary ? 'a boundary' : 'no boundary, and not meant as one';
  terminal.say('');
  terminal.say(
    `${oneLine(id)} (${kind}): ${count('contained')} attempts contained, ${count('open')} got through, ${count('void')} could not be made`,
  );
  for (const note of proof.notes) terminal.say(`  ${oneLine(note)}`);
  for (const { probe, property, verdict } of proof.probes) {
    if (withProbes || (verdict === 'open' && isBoundary)) {
      terminal.say(`  ${padToColumns(verdict, 9)} ${padToColumns(property, 11)} ${oneLine(probe)}`);
    }
  }
}
