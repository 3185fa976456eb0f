/** What a person should hear of a server while it serves: nothing of it stops the work, and nothing of it is kept anywhere else. */

export interface McpNotice {
  readonly kind:
    /** The list of tools holds others than before: see `McpSource.review`. */
    | 'tools-changed'
    /** The list of tools breaks the protocol; what could be read of it counts. */
    | 'list-faulty'
    /** A tool cannot become a contract. */
    | 'tool-refused'
    /** A tool's results are not checked, since the schema that its server promises for them cannot be used. */
    | 'output-unchecked'
    /** The server asked for something that Axle does not answer: input of the user, a model, folders. */
    | 'request-refused'
    /** The server was started or connected again. */
    | 'reconnected'
    /** The server does not tell for now when its tools change; the list is read again from time to time. */
    | 'changes-unheard';
  readonly server: string;
  readonly message: string;
  /** Names of the tools that it is about. */
  readonly tools?: readonly string[];
}
