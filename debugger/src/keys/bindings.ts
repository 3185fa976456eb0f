/** Every key of the page. What handles keys, the help sheet, the palette, the documents and the tests all read this table. */

export type Place = 'everywhere' | 'list' | 'run' | 'waterfall';

export interface Binding {
  readonly action: string;
  /** Any of these: a key, a key with `ctrl+` (also the command key), or two keys one after the other. */
  readonly keys: readonly string[];
  readonly title: string;
  readonly place: Place;
  /** Needed to work the page without a pointer: stays when single keys are switched off. */
  readonly isBasic?: true;
}

export const bindings = [
  { action: 'help', keys: ['?'], title: 'Show all keys', place: 'everywhere' },
  { action: 'palette', keys: ['ctrl+k'], title: 'Find a command, a screen or a run', place: 'everywhere' },
  { action: 'go-runs', keys: ['g r'], title: 'Go to the runs', place: 'everywhere' },
  { action: 'go-inbox', keys: ['g a'], title: 'Go to the inbox: what waits for a person', place: 'everywhere' },
  { action: 'go-tools', keys: ['g t'], title: 'Go to the tools', place: 'everywhere' },
  { action: 'go-system', keys: ['g s'], title: 'Go to the system', place: 'everywhere' },
  { action: 'copy-link', keys: ['y'], title: 'Copy a link to what is shown', place: 'everywhere' },
  { action: 'close', keys: ['Escape'], title: 'Close the panel, or leave the box', place: 'everywhere', isBasic: true },

  { action: 'row-next', keys: ['j', 'ArrowDown'], title: 'Next row', place: 'list', isBasic: true },
  { action: 'row-previous', keys: ['k', 'ArrowUp'], title: 'Row before', place: 'list', isBasic: true },
  { action: 'page-next', keys: ['PageDown'], title: 'A page down', place: 'list', isBasic: true },
  { action: 'page-previous', keys: ['PageUp'], title: 'A page up', place: 'list', isBasic: true },
  { action: 'row-first', keys: ['Home'], title: 'First row', place: 'list', isBasic: true },
  { action: 'row-last', keys: ['End'], title: 'Last row', place: 'list', isBasic: true },
  { action: 'open', keys: ['Enter'], title: 'Open the row', place: 'list', isBasic: true },
  { action: 'filter', keys: ['/'], title: 'Go to the filter', place: 'list' },

  { action: 'tab-waterfall', keys: ['t w'], title: 'Waterfall', place: 'run' },
  { action: 'tab-transcript', keys: ['t t'], title: 'Transcript', place: 'run' },
  { action: 'tab-context', keys: ['t c', 'x'], title: 'Context: what the model saw', place: 'run' },
  { action: 'tab-state', keys: ['t s'], title: 'State', place: 'run' },
  { action: 'tab-decisions', keys: ['t d'], title: 'Decisions', place: 'run' },
  { action: 'tab-logs', keys: ['t l'], title: 'Logs', place: 'run' },
  { action: 'tab-raw', keys: ['t r'], title: 'Raw entries', place: 'run' },
  { action: 'difference', keys: ['d'], title: 'In the context: only what is different', place: 'run' },
  { action: 'fork', keys: ['F'], title: 'Fork: go on from a step with something changed', place: 'run' },
  { action: 'follow', keys: ['f'], title: 'Follow the run live, or stop', place: 'run' },

  {
    action: 'collapse',
    keys: ['h', 'ArrowLeft'],
    title: 'Collapse, or go to the parent',
    place: 'waterfall',
    isBasic: true,
  },
  {
    action: 'expand',
    keys: ['l', 'ArrowRight'],
    title: 'Expand, or go to the first child',
    place: 'waterfall',
    isBasic: true,
  },
  { action: 'collapse-all', keys: ['['], title: 'Collapse all', place: 'waterfall' },
  { action: 'expand-all', keys: [']'], title: 'Expand all', place: 'waterfall' },
  {
    action: 'depth',
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    title: 'Expand to this depth',
    place: 'waterfall',
  },
  { action: 'hit-next', keys: ['n'], title: 'Next match of the filter', place: 'waterfall' },
  { action: 'hit-previous', keys: ['N'], title: 'Match before', place: 'waterfall' },
  { action: 'error-next', keys: ['e'], title: 'Next failure', place: 'waterfall' },
  { action: 'error-previous', keys: ['E'], title: 'Failure before', place: 'waterfall' },
  { action: 'zoom', keys: ['z'], title: 'Zoom to the span, or back to the whole', place: 'waterfall' },
  { action: 'zoom-in', keys: ['+', '='], title: 'Zoom in', place: 'waterfall' },
  { action: 'zoom-out', keys: ['-'], title: 'Zoom out', place: 'waterfall' },
  { action: 'gaps', keys: ['i'], title: 'Leave idle time out, or show it', place: 'waterfall' },
  { action: 'clock', keys: ['c'], title: 'Time of day, or time since the start', place: 'waterfall' },
] as const satisfies readonly Binding[];

export type Action = (typeof bindings)[number]['action'];

export const places: readonly { readonly place: Place; readonly title: string }[] = [
  { place: 'everywhere', title: 'Everywhere' },
  { place: 'list', title: 'In a list' },
  { place: 'run', title: 'In a run' },
  { place: 'waterfall', title: 'In the waterfall' },
];
