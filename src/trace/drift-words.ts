/** How an answer differs from what was declared, in short lines. */
import type { ShapeDifference } from '../call/drift.ts';

export function driftWords({ missing, unexpected, changed }: ShapeDifference): readonly string[] {
  return [
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`]),
    ...(unexpected.length === 0 ? [] : [`new: ${unexpected.join(', ')}`]),
    ...(changed.length === 0
      ? []
      : [
          `changed: ${changed.map(({ path, declared, came }) => `${path === '' ? 'the whole' : path} from ${declared} to ${came}`).join(', ')}`,
        ]),
  ];
}
