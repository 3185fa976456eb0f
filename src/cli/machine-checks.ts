/** What Axle needs of the machine and of the folder it is called in, looked at one by one. Nothing is written and no tool is called. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { isAxleError, messageOf } from '../error/axle-error.ts';
import type { SandboxDriver } from '../execute/sandbox/sandbox-driver.ts';
import type { StorePlace } from './command.ts';

export interface MachineCheck {
  readonly name: string;
  /** `note`: something that is not there, and that only some need. */
  readonly verdict: 'ok' | 'failed' | 'note';
  readonly detail: string;
  readonly remedy?: string;
}

const neededNode = '22.22.3 or newer of that line, or 24.15.0 or newer';

/** Node, SQLite, configuration and store. */
export async function machineChecks(place: StorePlace): Promise<readonly MachineCheck[]> {
  return [nodeCheck(process.versions.node), await sqliteCheck(), await configCheck(place), await storeCheck(place)];
}

/** Whether a version of Node will do. */
export function nodeCheck(version: string): MachineCheck {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const isAtLeast = (wantedMinor: number, wantedPatch: number): boolean =>
    minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch);
  const fits = major === 22 ? isAtLeast(22, 3) : major === 24 ? isAtLeast(15, 0) : major > 24;
  return fits
    ? { name: 'node', verdict: 'ok', detail: version }
    : { name: 'node', verdict: 'failed', detail: version, remedy: `Install Node ${neededNode}.` };
}

async function sqliteCheck(): Promise<MachineCheck> {
  const { sqlite } = process.versions;
  return attempt('sqlite', async () => {
    const { assertSqliteVersion } = await import('../journal/sqlite/schema.ts');
    assertSqliteVersion(sqlite);
    return { verdict: 'ok', detail: `${sqlite}, the one that Node carries` };
  });
}

async function configCheck(place: StorePlace): Promise<MachineCheck> {
  return attempt('configuration', async () => {
    const config = await place.knownConfig();
    if (config === undefined) return { verdict: 'note', detail: 'none is read; reading and answering need none' };
    const { tools = [], agents = [] } = config;
    const sources = tools.filter((item) => 'connect' in item).length;
    return { verdict: 'ok', detail: `tools: ${tools.length - sources}, sources: ${sources}, agents: ${agents.length}` };
  });
}

async function storeCheck(place: StorePlace): Promise<MachineCheck> {
  return attempt('store', async () => {
    const found = await place.store();
    if (typeof found !== 'string') return { verdict: 'ok', detail: 'the configuration brings its own' };
    if (found === ':memory:') return { verdict: 'note', detail: 'in memory: it ends with its process' };
    const path = resolve(found);
    if (!existsSync(path)) {
      accessSync(dirname(path), constants.W_OK);
      return { verdict: 'ok', detail: `${path} is not there yet, and can be made` };
    }
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    const { openSqliteStore } = await import('../journal/sqlite/sqlite-store.ts');
    await openSqliteStore(path, { role: 'client' }).close();
    return { verdict: 'ok', detail: `${path} can be read and written` };
  });
}

/** Which sandboxes can be used here, by the attempts that a start makes. */
export async function sandboxChecks(drivers: readonly SandboxDriver[]): Promise<readonly MachineCheck[]> {
  const checks: MachineCheck[] = [];
  for (const driver of drivers) {
    checks.push(
      await attempt(`sandbox ${driver.id}`, async () => {
        try {
          const proof = await driver.probe();
          if (proof.kind === 'unusable') return { verdict: 'note', detail: `cannot be used: ${proof.reason}` };
          const held = proof.properties.join(', ');
          return { verdict: 'ok', detail: held === '' ? 'holds nothing back' : `holds back ${held}` };
        } finally {
          await driver.close();
        }
      }),
    );
  }
  return checks;
}

async function attempt(name: string, check: () => Promise<Omit<MachineCheck, 'name'>>): Promise<MachineCheck> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    const remedy = isAxleError(error) ? { remedy: error.remedy } : {};
    return { name, verdict: 'failed', detail: messageOf(error), ...remedy };
  }
}
