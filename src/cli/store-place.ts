/** Finds configuration and store when a command needs them: reading and answering need the store alone. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AxleError, isAxleError } from '../error/axle-error.ts';
import type { AxleConfig } from '../facade/define-config.ts';
import { driverOf } from '../journal/sqlite/driver-lock.ts';
import { canonicalPath } from '../journal/sqlite/open-database.ts';
import type * as SqliteStore from '../journal/sqlite/sqlite-store.ts';
import type { Store } from '../journal/store.ts';
import type { StorePlace } from './command.ts';
import { configNames, findConfig, loadConfig } from './load-config.ts';

export const defaultStorePath = 'axle.db';

/** Loaded with the first store that is opened. (T1) */
const sqlite = async (): Promise<typeof SqliteStore> => import('../journal/sqlite/sqlite-store.ts');

export interface PlaceOptions {
  readonly folder: string;
  readonly configPath?: string;
  readonly storePath?: string;
}

/** Nothing is read before it is asked for, and nothing twice. */
export function storePlace({ folder, configPath, storePath }: PlaceOptions): StorePlace {
  let loaded: Promise<AxleConfig> | undefined;
  const path = configPath === undefined ? findConfig(folder) : resolve(folder, configPath);
  const config = (): Promise<AxleConfig> => {
    if (path === undefined) {
      throw new AxleError('configuration-invalid', `There is no ${configNames[0]} in ${folder}.`, {
        remedy: 'Write one that exports defineConfig({ ... }) as its default, or name it with --config FILE.',
      });
    }
    return (loaded ??= loadConfig(path));
  };
  return {
    configPath: path,
    config: async () => config(),
    knownConfig: async () =>
      path === undefined || (storePath !== undefined && configPath === undefined) ? undefined : config(),
    store: async () =>
      storePath ?? (path === undefined ? defaultStorePath : ((await config()).store ?? defaultStorePath)),
  };
}

/** The store as a client sees it, for as long as `use` needs it. @throws AxleError `store-invalid`, `configuration-invalid` */
export async function withClientStore<T>(
  place: StorePlace,
  use: (store: Store, driver: DriverState) => Promise<T>,
): Promise<T> {
  const found = await place.store();
  if (typeof found !== 'string') return use(found, { kind: 'unknown' });
  if (found === ':memory:') {
    throw new AxleError(
      'configuration-invalid',
      'The store of this configuration is in memory and ends with its process.',
      { remedy: 'Give the configuration a file as its store, or name one with --store PATH.' },
    );
  }
  if (!existsSync(found)) {
    throw new AxleError('store-invalid', `There is no store at ${resolve(found)}.`, {
      remedy: 'Check the folder, --store and the configuration; the first run makes the store.',
    });
  }
  const { openSqliteStore } = await sqlite();
  const store = openSqliteStore(found, { role: 'client' });
  try {
    return await use(store, driverState(found));
  } finally {
    await store.close();
  }
}

/** Makes the store where there is none yet, without driving anything. @throws AxleError `store-invalid`, `store-locked` */
export async function makeStore(place: StorePlace): Promise<void> {
  const found = await place.store();
  if (typeof found === 'string' && found !== ':memory:' && !existsSync(found)) {
    const { openSqliteStore } = await sqlite();
    await openSqliteStore(found, { role: 'driver' }).close();
  }
}

export interface OpenPlaceOptions {
  /** `auto`: the driver, unless another process is. */
  readonly role: 'auto' | 'client';
  /** Called when the store cannot be trusted any more. */
  readonly onFatal: (error: AxleError) => void;
}

/** The store for the life of an Axle. @throws AxleError `store-invalid`, `store-unusable`, `store-too-new` */
export async function openPlace(place: StorePlace, { role, onFatal }: OpenPlaceOptions): Promise<Store> {
  const found = await place.store();
  if (typeof found !== 'string') return found;
  if (found === ':memory:') {
    const { createMemoryStore } = await import('../journal/memory/memory-store.ts');
    return createMemoryStore();
  }
  const { openSqliteStore } = await sqlite();
  if (role === 'client') return openSqliteStore(found, { role, onFatal });
  try {
    return openSqliteStore(found, { role: 'driver', onFatal });
  } catch (error) {
    if (!isAxleError(error, 'store-locked')) throw error;
    return openSqliteStore(found, { role: 'client', onFatal });
  }
}

/** How often a client looks whether the driver is still there. */
const lookEveryMs = 500;

/** Calls back once when no process drives the store any more. Not for the driver itself. Returns the way to stop. */
export async function whenUndriven(place: StorePlace, callback: () => void): Promise<() => void> {
  const found = await place.store();
  if (typeof found !== 'string') return () => {};
  const timer = setInterval(() => {
    if (driverState(found).kind !== 'none') return;
    clearInterval(timer);
    callback();
  }, lookEveryMs);
  return () => clearInterval(timer);
}

/** Whether a process drives the store now. */
export type DriverState =
  | { readonly kind: 'running'; readonly pid: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

function driverState(path: string): DriverState {
  const pid = driverOf(canonicalPath(path));
  return pid === undefined ? { kind: 'none' } : { kind: 'running', pid };
}
