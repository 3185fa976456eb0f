/**
 * Old entries in today's form. A release that changes the form of an entry raises `formatVersion` (entry.ts) and adds here what the version before
 * looked like; nothing that is stored is ever rewritten.
 *
 * U1 Every version from the first to the one before the current has exactly one step, and a step leads to the next version.
 * U2 One entry becomes one entry: sequence numbers name what they always named.
 * U3 A step is pure: the same entry gives the same entry for ever, since replay depends on it.
 */
import { AxleError } from '../error/axle-error.ts';
import { bodyPlaces, type BodyPlaces } from './body-places.ts';
import { formatVersion } from './entry.ts';

/** A form that entries once had, and the step to the form after it. */
export interface OlderFormat {
  readonly version: number;
  /** Where entries of that version kept bodies. */
  readonly places: BodyPlaces;
  /** The entry in the form of `version + 1`. */
  readonly upcast: (entry: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** All forms that entries ever had. */
export interface FormatHistory {
  /** The version that is written now. */
  readonly current: number;
  readonly places: BodyPlaces;
  /** From the first version to the one before `current`. */
  readonly older: readonly OlderFormat[];
}

/** The forms of this release. */
export const formatHistory: FormatHistory = {
  current: formatVersion,
  places: bodyPlaces,
  older: [
    // Version 3 only leaves out more (`left-out.ts`).
    { version: 2, places: bodyPlaces, upcast: (entry) => entry },
    // Version 2 only adds: types of entries, fields that may be absent, and places of bodies where version 1 had nothing.
    { version: 1, places: bodyPlaces, upcast: (entry) => entry },
  ],
};

const asItIs: FormatSteps['upcast'] = (entry) => entry;

/** How entries of one version are brought to the current form. */
export interface FormatSteps {
  readonly places: BodyPlaces;
  readonly upcast: (entry: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/**
 * What is needed to read entries of a version.
 * @throws AxleError `entry-too-new` for a version after the current one, `entry-invalid` for one that never was.
 */
export function stepsFrom(version: number, history: FormatHistory): FormatSteps {
  if (version === history.current) return { places: history.places, upcast: asItIs };
  if (version > history.current) {
    throw new AxleError(
      'entry-too-new',
      `An entry has format ${version}; this release reads formats up to ${history.current}.`,
      {
        details: { formatVersion: version, current: history.current },
      },
    );
  }
  const steps = history.older.filter((format) => format.version >= version).toSorted((a, b) => a.version - b.version);
  const first = steps[0];
  if (first === undefined || first.version !== version || steps.length !== history.current - version) {
    throw new AxleError('entry-invalid', `An entry has format ${version}, which no release has written.`, {
      details: { formatVersion: version, current: history.current },
    });
  }
  return { places: first.places, upcast: (entry) => steps.reduce((form, step) => step.upcast(form), entry) };
}
