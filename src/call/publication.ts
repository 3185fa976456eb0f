/** What a call adds to the context of its run when it succeeds. */

/** One key and where its value stands in the output. */
export interface Publication {
  readonly key: string;
  /** JSON Pointer into the output; `''` for the whole. */
  readonly at: string;
  /** Version of the key. */
  readonly version: number;
}

/** An argument that was not written by the brain: where it was filled in, from what, and who had brought that forth. */
export interface FilledArgument {
  /** JSON Pointer into the input. */
  readonly path: string;
  /** The selector. */
  readonly from: string;
  /** The call that brought it forth, or `start` for a value that the run was started with. */
  readonly by: string;
}
