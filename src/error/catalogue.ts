/**
 * The one list of error codes. A code is stable for ever: it may gain advice, never another meaning.
 * `docs/errors.md` is written from this list, and a test holds the two together.
 */

/**
 * What kind of fault a code names, and so who can do something about it:
 * - `retryable`: the same request may succeed later, unchanged.
 * - `recoverable`: the model can mend it by asking differently.
 * - `fatal`: neither time nor the model helps; a person must act.
 */
export const errorClasses = ['retryable', 'recoverable', 'fatal'] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** One row of the catalogue. */
export interface ErrorDescription {
  readonly class: ErrorClass;
  /** What the code means, for engineers. */
  readonly meaning: string;
  /** What to do about it, for whoever reads the error. */
  readonly remedy: string;
}

export const errorCatalogue = {
  // Contracts and arguments
  'contract-invalid': {
    class: 'fatal',
    meaning: 'A tool was declared with a field that is missing, of the wrong type or out of range.',
    remedy: 'Correct the field that the message names.',
  },
  'contract-field-not-enforced': {
    class: 'fatal',
    meaning:
      'A tool declares a safety field whose machinery does not exist yet, so Axle refuses it rather than ignore it.',
    remedy: 'Remove the field, or use a release that enforces it.',
  },
  'contract-duplicate': {
    class: 'fatal',
    meaning: 'Two tools carry the same name and version.',
    remedy: 'Rename one of them, or give it another version.',
  },
  'schema-unsupported': {
    class: 'fatal',
    meaning:
      'A schema is neither a Standard Schema that can describe itself as JSON Schema nor a valid JSON Schema 2020-12.',
    remedy: 'Pass a JSON Schema, or a validator that implements Standard JSON Schema.',
  },
  'tool-unknown': {
    class: 'recoverable',
    meaning: 'The model asked for a tool that the agent does not have.',
    remedy: 'Use one of the tools that the message lists.',
  },
  'tool-not-granted': {
    class: 'fatal',
    meaning: 'An agent names a tool that is not registered.',
    remedy: 'Register the tool, or remove its name from the agent.',
  },
  'arguments-invalid': {
    class: 'recoverable',
    meaning: 'The arguments do not fit the schema of the tool, and no repair that is certain makes them fit.',
    remedy: 'Send the call again with the fields that the message names corrected.',
  },
  'arguments-unreadable': {
    class: 'recoverable',
    meaning: 'The arguments are not JSON, and no repair that is certain makes them JSON.',
    remedy: 'Send the arguments as one JSON object.',
  },
  'arguments-truncated': {
    class: 'recoverable',
    meaning: 'The arguments end in the middle, usually because the output limit was reached. They are never run.',
    remedy: 'Send the call again with shorter arguments, or split the work.',
  },
  'arguments-ambiguous': {
    class: 'recoverable',
    meaning: 'The arguments can be read in more than one way, so nothing was run.',
    remedy: 'Send each call on its own, with one JSON object as arguments.',
  },
  'arguments-too-large': {
    class: 'recoverable',
    meaning: 'The arguments exceed a limit on size, depth, keys or string length.',
    remedy: 'Send less, or pass a reference instead of the content.',
  },
  'output-invalid': {
    class: 'recoverable',
    meaning: 'The tool answered with a result that does not fit its declared output schema.',
    remedy: 'Treat the result as unknown; try another way or ask for help.',
  },
  'value-not-storable': {
    class: 'fatal',
    meaning:
      'A value cannot be kept as JSON: a function, a symbol, a cycle, binary data, or data deeper than 100 levels.',
    remedy: 'Return or pass plain JSON data; the message names the path.',
  },

  // Attempts
  'tool-failed': {
    class: 'recoverable',
    meaning: 'The tool threw an error of its own.',
    remedy: 'Read the message; change the arguments or choose another way.',
  },
  'tool-timed-out': {
    class: 'retryable',
    meaning: 'The tool did not answer within its time limit.',
    remedy: 'Try again later, ask for less, or choose another way.',
  },
  'upstream-unavailable': {
    class: 'retryable',
    meaning: 'The service behind the tool is down, overloaded or unreachable.',
    remedy: 'Try again later or choose another way.',
  },
  'upstream-rate-limited': {
    class: 'retryable',
    meaning: 'The service behind the tool asked for fewer requests.',
    remedy: 'Wait as long as the service asked for.',
  },
  'authorization-required': {
    class: 'fatal',
    meaning: 'The service behind the tool refused the credentials.',
    remedy: 'Ask the user to authorise again.',
  },
  'retries-exhausted': {
    class: 'recoverable',
    meaning: 'Every permitted attempt of the call failed.',
    remedy: 'Choose another way, or tell the user what could not be done.',
  },
  'call-interrupted': {
    class: 'retryable',
    meaning:
      'The call was cut off (its process ended, or nobody answered in time), and it is established that it had no effect.',
    remedy: 'It may be sent again.',
  },
  'call-in-doubt': {
    class: 'fatal',
    meaning: 'A side effect was started and nobody knows whether it happened.',
    remedy:
      'Find out what happened and say so: axle resolve RUN/CALL --happened [--output JSON] | --not-happened --then retry|fail.',
  },
  'call-cancelled': {
    class: 'fatal',
    meaning: 'The call was cancelled; whether it may have had its effect stands beside it.',
    remedy: 'Where its effect may have happened, find out before it is sent again.',
  },
  'call-denied': {
    class: 'recoverable',
    meaning: 'A person or a policy refused the call.',
    remedy: 'Do not ask for the same call again; choose another way or tell the user.',
  },
  'call-repeated': {
    class: 'recoverable',
    meaning: 'The model sent a call id again that this run has already settled or is settling.',
    remedy: 'Use the result of the first call; send a new call with a new id for a new intention.',
  },
  'approval-expired': {
    class: 'recoverable',
    meaning: 'Nobody answered the approval in time, which counts as a refusal.',
    remedy: 'Tell the user; ask again only if they want it.',
  },

  // Models
  'model-unavailable': {
    class: 'retryable',
    meaning: 'The model could not be reached, or answered with a fault of its own.',
    remedy: 'Try again later, or configure another model.',
  },
  'model-refused': {
    class: 'fatal',
    meaning: 'The provider refused the request (credentials, unknown model, invalid request).',
    remedy: "Check the model name, the key and the settings; the cause carries the provider's words.",
  },
  'model-output-unreadable': {
    class: 'recoverable',
    meaning: 'The model answered with something that is neither an answer nor a call.',
    remedy: 'The model is told what was wrong; after several in a row the run stops.',
  },
  'model-unsupported': {
    class: 'fatal',
    meaning: 'The model object does not implement specification v3 or v4 of the AI SDK.',
    remedy: 'Use a provider package of AI SDK 6 or 7.',
  },

  // Runs
  'run-unknown': {
    class: 'fatal',
    meaning: 'No run with this id is in the store.',
    remedy: 'List the runs with: axle runs.',
  },
  'run-ended': {
    class: 'fatal',
    meaning: 'The run has ended, so it takes no more messages or answers.',
    remedy: 'Start a new run.',
  },
  'run-key-reused': {
    class: 'fatal',
    meaning: 'A request used a key again for something else: another agent, input or message.',
    remedy: 'Use a new key for a new request.',
  },
  'run-steps-exhausted': {
    class: 'fatal',
    meaning: 'The run reached its limit of steps before an answer.',
    remedy: 'Raise the limit, or make the task smaller; the partial result is kept.',
  },
  'run-time-exhausted': {
    class: 'fatal',
    meaning: 'The run used up its time for work before an answer.',
    remedy: 'Raise the limit, or make the task smaller; the partial result is kept.',
  },
  'agent-unknown': {
    class: 'fatal',
    meaning: 'No agent with this name is registered.',
    remedy: 'Register the agent, or use one of the names that the message lists.',
  },
  'agent-invalid': {
    class: 'fatal',
    meaning: 'An agent was declared with a field that is missing, of the wrong type or out of range.',
    remedy: 'Correct the field that the message names.',
  },
  'decision-invalid': {
    class: 'fatal',
    meaning: 'An answer to an approval or a doubt has the wrong form, or names something that is not open.',
    remedy: 'Correct the answer; axle show RUN lists what is open.',
  },
  'decision-already-made': {
    class: 'fatal',
    meaning: 'Somebody else answered first; the first answer stands.',
    remedy: 'Read the first answer, which the error carries.',
  },

  // Journal and store
  'entry-invalid': {
    class: 'fatal',
    meaning: 'An entry that was read from the journal does not have the form of its type.',
    remedy: 'The store is damaged or was written by something else; restore a backup.',
  },
  'entry-too-new': {
    class: 'fatal',
    meaning: 'An entry was written by a newer release of Axle.',
    remedy: 'Use that release or a newer one.',
  },
  'store-too-new': {
    class: 'fatal',
    meaning: 'The store was written by a newer release of Axle.',
    remedy: 'Use that release or a newer one; this one does not touch the file.',
  },
  'store-invalid': {
    class: 'fatal',
    meaning: 'The file is not an Axle store, or it is damaged.',
    remedy: 'Check the path; restore a backup if the file is damaged.',
  },
  'store-unusable': {
    class: 'fatal',
    meaning:
      'No store can be opened or made at this path: its folder is missing, it is a folder itself, or this user may not read and write it.',
    remedy: 'Correct the path or the permissions that the message names.',
  },
  'sqlite-too-old': {
    class: 'fatal',
    meaning: 'The SQLite inside this Node is older than 3.51.3, which can corrupt a store that two connections use.',
    remedy: 'Use Node 22.22.3, 24.15.0 or newer.',
  },
  'store-locked': {
    class: 'retryable',
    meaning: 'Another process is the driver of this store.',
    remedy: 'End that process, or let it do the work: commands of this process are recorded for it.',
  },
  'store-unavailable': {
    class: 'retryable',
    meaning: 'The store cannot take writes now (disk full, file busy).',
    remedy: 'Free space or end what holds the file; runs go on by themselves.',
  },
  'store-failed': {
    class: 'fatal',
    meaning: 'The store failed in a way after which its content is not certain (a failed sync).',
    remedy: 'The process ends at once; start it again, and it goes on from what is certain.',
  },
  'store-closed': {
    class: 'fatal',
    meaning: 'The store was used after it was closed.',
    remedy: 'Keep it open as long as runs need it.',
  },
  'append-fenced': {
    class: 'fatal',
    meaning: 'Another owner has taken the run; this one may not write to it any more.',
    remedy: 'Nothing: the other owner goes on with the run.',
  },
  'append-outdated': {
    class: 'retryable',
    meaning: 'An append would end a run to which something was posted that it has not taken in.',
    remedy: 'Nothing: the driver takes in what was posted and decides again.',
  },
  'append-unconfirmed': {
    class: 'retryable',
    meaning: 'The store did not say whether an append was committed.',
    remedy: 'The journal is read again before anything else happens.',
  },
  'limit-exceeded': {
    class: 'fatal',
    meaning: 'A queue, body, list or wait exceeds its limit.',
    remedy: 'Send less, or raise the limit that the message names.',
  },
  'timer-out-of-range': {
    class: 'fatal',
    meaning: 'A duration is negative, not a number, or longer than 366 days.',
    remedy: 'Use a duration between 0 and 366 days.',
  },

  // Servers of tools
  'mcp-unavailable': {
    class: 'retryable',
    meaning: 'An MCP server could not be started, or ended.',
    remedy: 'Read the cause and the last lines of its standard error.',
  },
  'mcp-protocol-error': {
    class: 'recoverable',
    meaning: 'An MCP server answered with an error or with something that is not its protocol.',
    remedy: 'Read the message; check the version of the server.',
  },

  // Use
  'peer-missing': {
    class: 'fatal',
    meaning: 'An entry point needs an optional package that is not installed.',
    remedy: 'Install the package that the message names.',
  },
  'usage-invalid': {
    class: 'fatal',
    meaning: 'A command was called with a wrong or missing argument.',
    remedy: 'See axle COMMAND --help.',
  },
  'configuration-invalid': {
    class: 'fatal',
    meaning: 'The configuration is missing or has a wrong field.',
    remedy: 'Correct what the message names.',
  },
  'process-ended': {
    class: 'fatal',
    meaning:
      'The code that a command runs ended its process: it called process.exit, or threw an error that nobody caught.',
    remedy:
      'Mend the tool: it must not call process.exit, and must await every promise that it starts. A run that ends every process that drives it is given up with: axle cancel RUN; then axle resume goes on with the others.',
  },
  closed: {
    class: 'fatal',
    meaning: 'The Axle instance was used after it was closed.',
    remedy: 'Create a new one.',
  },
  aborted: {
    class: 'fatal',
    meaning: 'The caller aborted the operation.',
    remedy: 'Nothing: it was asked for.',
  },
  internal: {
    class: 'fatal',
    meaning: 'Axle broke one of its own invariants.',
    remedy: 'Report it with the journal of the run; nothing was repeated.',
  },
} as const satisfies Record<string, ErrorDescription>;

/** Every code that Axle can raise. */
export type ErrorCode = keyof typeof errorCatalogue;

/** True when a text is a code of the catalogue. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCatalogue, value);
}
