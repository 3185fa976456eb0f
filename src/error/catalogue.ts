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
  'contract-file-invalid': {
    class: 'fatal',
    meaning: 'A file of a contract folder is not JSON, or declares a tool or a request that cannot be.',
    remedy: 'Correct the file at the line that the message names; what it held before stays until then.',
  },
  'contract-duplicate': {
    class: 'fatal',
    meaning: 'Two tools carry the same name and version.',
    remedy: 'Rename one of them, or give it another version.',
  },
  'run-not-ended': {
    class: 'recoverable',
    meaning: 'A run that may still do something was to be taken back.',
    remedy: 'Wait until it has ended, or cancel it first: `cancel: true`, on the command line `--cancel`.',
  },
  'undo-under-way': {
    class: 'retryable',
    meaning: 'Another undo of the same run has not ended.',
    remedy: 'Wait until it has ended, or answer what it waits for.',
  },
  'undo-incomplete': {
    class: 'fatal',
    meaning: 'An undo run ended before everything was taken back; its output names what was and what was not.',
    remedy:
      "Look at the output, mend what stands in the way, and ask again with `again: true`, or with `onProblem: 'skip'`.",
  },
  'fallback-invalid': {
    class: 'fatal',
    meaning:
      'The fallback chain of a tool names a tool that does not exist, one twice, or one whose effect is of another kind.',
    remedy: 'Correct the chain that the message names.',
  },
  'schema-unsupported': {
    class: 'fatal',
    meaning:
      'A schema is neither a Standard Schema that can describe itself as JSON Schema nor a valid JSON Schema 2020-12.',
    remedy: 'Pass a JSON Schema, or a validator that implements Standard JSON Schema.',
  },
  'context-changed': {
    class: 'recoverable',
    meaning:
      'What was filled into the call from the context of the run was set anew before the call began, and its contract wants it unchanged.',
    remedy: 'Send the call again: what stands in the context now is filled in.',
  },
  'schema-too-large': {
    class: 'fatal',
    meaning:
      'A schema has more parts, or more characters, than a check may cost: other work would stand still meanwhile.',
    remedy:
      'Split the tool, take what one call needs, or describe a part of the input as an object without naming its members.',
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
  'call-in-text': {
    class: 'recoverable',
    meaning:
      'The model wrote a call of a tool with a side effect beside other words in its text, or repeated one that the user sent: it may be an example.',
    remedy: 'Send the call in the tool-call format.',
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
  'requirements-missing': {
    class: 'recoverable',
    meaning: 'A call needs values or results that its run does not have yet, so it was not started.',
    remedy: 'Call the tools that the message names first, then send the call again.',
  },
  'context-full': {
    class: 'recoverable',
    meaning:
      'A call needs a value that was too large for the context of a run: 65,536 characters, 256 keys, 1 Mi characters in all.',
    remedy: 'Ask the tool that brings it for less, or choose another way.',
  },
  'context-invalid': {
    class: 'fatal',
    meaning:
      'A context key is named, declared or set in a way that does not hold: unknown, of two schemas, or with a value that does not fit.',
    remedy: 'Correct the key that the message names, or declare it with contextKey() or publishes.',
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
  'sandbox-unavailable': {
    class: 'fatal',
    meaning: 'No sandbox of this machine has proven what the tool needs, so it is not run: never in a weaker one.',
    remedy:
      'Ask `axle doctor --sandbox` what each can hold back here; install what is missing, or let the tool need less.',
  },
  'sandbox-limit-exceeded': {
    class: 'recoverable',
    meaning:
      'The program of a tool used more memory, processor time or output than its contract allows, and was ended; or it left more in files.',
    remedy: 'Ask for less at a time, or raise the limit in the contract.',
  },
  'program-file-missing': {
    class: 'recoverable',
    meaning: 'The program of a tool ended well and left no file where its contract says that it leaves one.',
    remedy: 'Give it arguments with which it leaves the file, or correct `produces` in the contract.',
  },
  'program-file-refused': {
    class: 'recoverable',
    meaning:
      'The program of a tool left something that is not taken out of a sandbox: a link, a pipe, a device, bytes with a real value in them.',
    remedy: 'Let it leave plain files in folders of its own.',
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
  'upstream-open': {
    class: 'retryable',
    meaning: 'The service behind the tool has failed so often that calls to it are held back; this one was not sent.',
    remedy: 'Try again later or choose another way.',
  },
  'upstream-queue-full': {
    class: 'retryable',
    meaning: 'As many calls as are allowed wait for the service behind the tool already; this one was not sent.',
    remedy: 'Try again later or ask for less at once; limits.queue sets how many may wait.',
  },
  'upstream-wait-too-long': {
    class: 'retryable',
    meaning: 'The call waited for the service behind the tool as long as it may; it was not sent.',
    remedy: 'Try again later or choose another way; limits.maxWait sets how long a call may wait.',
  },
  'lock-wait-too-long': {
    class: 'retryable',
    meaning: 'The call waited for a lock that another call has as long as it may; it was not sent.',
    remedy:
      'Try again later; if the call that has the lock is in doubt, settle that call first. maxWait of the lock sets how long a call may wait.',
  },
  'lock-queue-full': {
    class: 'retryable',
    meaning: 'As many calls as may wait for a lock already; this one was not sent.',
    remedy: 'Try again later, or make the name of the lock from more arguments, so that fewer calls share it.',
  },
  'lock-name-invalid': {
    class: 'recoverable',
    meaning:
      'The name of a lock is made from an argument that the call does not have, that is no text or number, or that is too long; the call was not sent.',
    remedy: 'Send the argument that the message names as a short text or a number.',
  },
  'upstream-contradictory': {
    class: 'fatal',
    meaning: 'Two declarations say different things of the same upstream.',
    remedy: 'Say it once, in the upstreams of createAxle, and let the tools only name the upstream.',
  },
  'upstream-unknown': {
    class: 'fatal',
    meaning: 'No tool and no option names an upstream like this.',
    remedy: 'Use one of the names that the message lists.',
  },
  'authorization-required': {
    class: 'fatal',
    meaning: 'The service behind the tool refused the credentials.',
    remedy: 'Ask the user to authorise again.',
  },
  'authorization-denied': {
    class: 'recoverable',
    meaning: 'The service behind the tool wants an authorisation, and a person was asked and refused it.',
    remedy: 'Do not ask for the same call again; choose another way or tell the user.',
  },
  'authorization-expired': {
    class: 'recoverable',
    meaning: 'The service behind the tool wants an authorisation, and nobody gave it in time.',
    remedy: 'Tell the user; ask again only if they want it.',
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
  'model-threw': {
    class: 'retryable',
    meaning:
      'The model object threw where it should have answered: most likely a mistake in its code. It is asked again all the same, since it may have been the network.',
    remedy: 'Mend the model object: the message says what it threw.',
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
  'regenerations-exhausted': {
    class: 'fatal',
    meaning:
      'The model called one tool again and again with arguments that could not be used, also after it was sent the whole schema and the tool was withdrawn.',
    remedy: 'Look at the refused calls: simplify the schema, add an example, or raise maxInvalidCalls of the tool.',
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
  'model-unknown': {
    class: 'fatal',
    meaning: 'No model with this name is registered.',
    remedy: 'Name the model in models of createAxle, or use one of the names that the message lists.',
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
  'run-file-invalid': {
    class: 'fatal',
    meaning:
      'A file is no run file, or was changed, cut off or damaged since it was written. Nothing of it was taken in.',
    remedy: 'Export the run again, and copy the file as it is.',
  },
  'run-file-too-new': {
    class: 'fatal',
    meaning: 'A run file was written by a newer release of Axle.',
    remedy: 'Use that release or a newer one.',
  },
  'run-exists': {
    class: 'recoverable',
    meaning:
      'A run file was to be taken into a store that has another journal of the same run, such as an earlier copy.',
    remedy: 'Look at the file on its own, or take it into another store with --store PATH.',
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

  // HTTP
  'url-refused': {
    class: 'recoverable',
    meaning:
      'A URL leads where nothing may be dialled: a private, local or reserved address, another port than 80 and 443, another scheme than http and https, or a user name in it.',
    remedy: 'Use a public URL; whoever runs Axle can grant a host, an address or a range with allow.',
  },
  'redirect-refused': {
    class: 'fatal',
    meaning:
      'A server answered with a redirect that is not followed: too many, from https to http, or one that would send a body elsewhere or turn a request into another.',
    remedy: 'Use the URL that the redirect leads to, if it is to be trusted.',
  },
  'response-unreadable': {
    class: 'recoverable',
    meaning: 'A server answered with something that is not HTTP, or in an encoding that cannot be read.',
    remedy: 'Check the URL and what stands between; the server is at fault.',
  },
  'secret-unusable': {
    class: 'fatal',
    meaning: 'A secret that a request needs is not set, or holds a character that cannot be sent.',
    remedy: 'Set the secret that the message names; by default it is an environment variable.',
  },

  'alias-unknown': {
    class: 'fatal',
    meaning: 'A tool names an alias that this Axle does not have.',
    remedy: 'Declare it: `createAxle({ aliases: { name: { variable: "NAME" } } })`.',
  },
  'alias-unusable': {
    class: 'fatal',
    meaning: 'The real value of an alias is not set, cannot be looked up or cannot be kept from view.',
    remedy: 'Set the value that the message speaks of; it must have at least 4 characters, and no name may contain it.',
  },

  // The HTTP API
  'request-invalid': {
    class: 'recoverable',
    meaning: 'A request to the HTTP API has a body, a parameter or a header that does not fit.',
    remedy: 'Correct the place that the message names; /openapi.json describes every request.',
  },
  'request-refused': {
    class: 'fatal',
    meaning:
      'A request came under a foreign host name or from a foreign page, as when a page tries to reach a server on the machine of its visitor.',
    remedy: 'Use the address that the server prints; name further host names with hosts.',
  },
  'request-too-large': {
    class: 'recoverable',
    meaning: 'The body of a request is larger, or nested deeper, than the HTTP API takes.',
    remedy: 'Send less; maxBodyBytes sets the size.',
  },
  'route-unknown': {
    class: 'fatal',
    meaning: 'The HTTP API has nothing at this path.',
    remedy: 'See /openapi.json for what there is.',
  },
  'method-not-allowed': {
    class: 'fatal',
    meaning: 'The path exists, and takes other methods than the one of the request.',
    remedy: 'Use a method that the header Allow names.',
  },
  'media-type-unsupported': {
    class: 'recoverable',
    meaning: 'The body of a request is not said to be JSON.',
    remedy: 'Send it with the header Content-Type: application/json.',
  },
  'token-refused': {
    class: 'fatal',
    meaning: 'The HTTP API wants a token, and the request carries none, or one that is not known.',
    remedy: 'Send the header Authorization: Bearer TOKEN; axle serve prints where the token comes from.',
  },
  'scope-missing': {
    class: 'fatal',
    meaning: 'The token of the request does not allow this, or the server is read-only.',
    remedy: 'Use a token with the scope that the message names.',
  },
  'idempotency-key-missing': {
    class: 'recoverable',
    meaning: 'A request that starts work has no Idempotency-Key, so that a repetition would start it twice.',
    remedy:
      'Send the header Idempotency-Key with a name of your own for the request, the same one when it is repeated.',
  },
  'precondition-missing': {
    class: 'recoverable',
    meaning: 'An answer to a question does not say which version of the question it was given for.',
    remedy: 'Send the etag of the question in the header If-Match.',
  },
  'precondition-failed': {
    class: 'recoverable',
    meaning: 'The question has changed since it was read, so the answer does not count for it.',
    remedy: 'Read the question again, and answer that.',
  },
  'bind-refused': {
    class: 'fatal',
    meaning: 'A server was to listen where other machines reach it, without a token.',
    remedy: 'Require a token (axle serve --token, or tokens of createServer), or listen on 127.0.0.1.',
  },
  'listen-failed': {
    class: 'fatal',
    meaning: 'A server could not listen: the port is taken, or the address is not of this machine.',
    remedy: 'Choose another --port or --host, or end what listens there; port 0 takes a free one.',
  },
  draining: {
    class: 'retryable',
    meaning: 'The server is ending, and starts nothing more.',
    remedy: 'Send it again to another server, or to this one once it is back.',
  },
  'listeners-too-many': {
    class: 'retryable',
    meaning: 'As many listen to event streams of this server as it has room for.',
    remedy: 'Close streams that nobody reads, or try again later; maxListeners sets how many there may be.',
  },
  'stream-too-slow': {
    class: 'retryable',
    meaning: 'A listener of an event stream did not read for so long that the server let it go.',
    remedy: 'Connect again with Last-Event-ID: nothing is missed.',
  },
  'span-unknown': {
    class: 'fatal',
    meaning: 'The run has no span with this id.',
    remedy: 'List the spans of the run.',
  },
  'body-unknown': {
    class: 'fatal',
    meaning: 'No body with this hash is in the store.',
    remedy: 'Take the hash from an entry or a span of the run.',
  },

  // Servers of tools
  'mcp-unavailable': {
    class: 'retryable',
    meaning: 'An MCP server could not be started or reached, or ended.',
    remedy: 'Read the cause and the last lines of its standard error; axle mcp test SERVER tries it.',
  },
  'mcp-protocol-error': {
    class: 'recoverable',
    meaning: 'An MCP server answered with an error or with something that is not its protocol.',
    remedy: 'Read the message; check the version of the server.',
  },
  'mcp-tool-quarantined': {
    class: 'fatal',
    meaning: 'An MCP server describes a tool in another way than was accepted, so it is not called.',
    remedy: 'Look at the change with: axle mcp test SERVER; accept it with: axle mcp accept SERVER TOOL.',
  },
  'mcp-tool-gone': {
    class: 'recoverable',
    meaning: 'An MCP server does not offer a tool any more that it offered when it was connected.',
    remedy: 'Choose another way.',
  },
  'mcp-input-required': {
    class: 'recoverable',
    meaning:
      'An MCP server wants input of the user, or a model, before it goes on with a call; Axle gives neither to servers.',
    remedy: 'Pass what the tool needs as arguments, or choose another way.',
  },

  // Use
  'peer-missing': {
    class: 'fatal',
    meaning: 'An entry point needs an optional package that is not installed.',
    remedy: 'Install the package that the message names.',
  },
  'filter-invalid': {
    class: 'recoverable',
    meaning: 'A filter over the spans of a run cannot be read.',
    remedy: 'Correct it at the place that the message names; `docs/seeing.md` lists the fields.',
  },
  'usage-invalid': {
    class: 'fatal',
    meaning: 'A command was called with a wrong or missing argument.',
    remedy: 'See axle COMMAND --help.',
  },
  'folder-taken': {
    class: 'fatal',
    meaning: 'A project was to be made in a folder that holds something else, or files that it would replace.',
    remedy: 'Choose another folder, or move away what the message names.',
  },
  'package-not-made': {
    class: 'fatal',
    meaning: 'The package of Axle, which a new project depends on, could not be made of this checkout.',
    remedy: 'Run npm pack there, and mend what it says; or name a tarball with --axle.',
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
