/**
 * Bugs that are put into the code on purpose, by changing its text as it is loaded: each must be found, or the simulation proves nothing.
 * Shipped code has no switch for them. A text that is not found exactly once means that the code has changed and the bug must be planted anew.
 * Those marked with a star were once real, and were found by the simulation.
 */
import { logins, people } from './answers.ts';
import { calls, chains, order } from './effects.ts';
import { locks, upstreams } from './limits.ts';
import type { PlantedBug } from './planted-bug.ts';
import { undetermined } from './undetermined.ts';
import { versions } from './versions.ts';
import { identity, store } from './writing.ts';

export const plantedBugs: readonly PlantedBug[] = [
  ...undetermined,
  ...order,
  ...identity,
  ...store,
  ...calls,
  ...people,
  ...logins,
  ...upstreams,
  ...locks,
  ...chains,
  ...versions,
];
