/** `defineConfig`: what `axle.config.ts` exports, so that the command line and the program run the same tools and agents. */
import { AxleError } from '../error/axle-error.ts';
import type { Store } from '../journal/store.ts';
import type { AxleOptions } from './options.ts';

export interface AxleConfig extends Omit<AxleOptions, 'store' | 'role'> {
  /** Path of the SQLite file, from the working directory. @defaultValue 'axle.db' */
  readonly store?: string | Store;
}

/**
 * Checks the types of a configuration and freezes it. What is in it is checked by `createAxle`.
 * @throws AxleError `configuration-invalid` when it is not an object.
 */
export function defineConfig(config: AxleConfig): AxleConfig {
  // A configuration in plain JavaScript has no compiler to tell.
  const given: unknown = config;
  if (typeof given !== 'object' || given === null) {
    throw new AxleError('configuration-invalid', 'defineConfig takes an object with store, tools and agents.');
  }
  return Object.freeze({ ...config });
}
