/** A bug that is put into the code on purpose. */
export interface Patch {
  /** Under the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface PlantedBug {
  readonly name: string;
  readonly patches: readonly Patch[];
  /** The one law that it is here to prove: it is looked for until it breaks this one. @defaultValue any */
  readonly law?: string;
}

/** A bug in one place. */
export function bug(name: string, file: string, find: string, replace: string): PlantedBug {
  return { name, patches: [{ file, find, replace }] };
}
