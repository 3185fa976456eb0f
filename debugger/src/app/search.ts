/** What the address says beside the path: plain words, so that a link reads well and reproduces the view. */

export interface RunsSearch {
  readonly state?: string;
  readonly subject?: string;
  readonly session?: string;
}

export interface RunSearch {
  /** The id of the selected span. */
  readonly span?: string;
  readonly filter?: string;
  /** What part of the time is shown: `fromMs..toMs` after the start of the run. */
  readonly zoom?: string;
  /** `out`: idle time is left out. */
  readonly gaps?: string;
  /** `day`: times of day instead of times since the start. */
  readonly clock?: string;
  /** A column to sort by; chronological as a tree without. `-` in front: the other way round. */
  readonly sort?: string;
  /** The tab of the panel of the span. */
  readonly pane?: string;
  /** The entry that a view looks at: a model call in the context, an entry in the state and in the raw ones. */
  readonly seq?: string;
  /** What that is compared with. */
  readonly against?: string;
}

export interface ToolsSearch {
  readonly tool?: string;
  readonly upstream?: string;
}

export interface InboxSearch {
  /** The id of the question. */
  readonly item?: string;
}

/** Takes the named words out of an address; whatever else it holds is passed over. */
export function readSearch<Search extends object>(...names: readonly (keyof Search & string)[]) {
  return (search: Record<string, unknown>): Search => {
    const read: Record<string, string> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' && value !== '') read[name] = value;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all members are optional texts, and only named ones were read.
    return read as Search;
  };
}

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearch(search: Record<string, unknown>): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') words.set(name, value);
  }
  // Readable where the address allows it.
  const text = words.toString().replaceAll('%3A', ':').replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}
