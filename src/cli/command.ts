/** What a command is: a row of the table that drives parsing, help, documents and their tests. */
import type { Store } from '../journal/store.ts';
import type { AxleError } from '../error/axle-error.ts';
import type { AxleConfig } from '../facade/define-config.ts';
import type { CommandText } from './command-text.ts';
import type { ExitName } from './exit-code.ts';
import type { Interruption } from './interruption.ts';
import type { SuddenEnd } from './sudden-end.ts';
import type { Terminal } from './terminal.ts';
import type { WorkInHand } from './work-in-hand.ts';

export interface OptionDeclaration {
  /** What stands for the value in the help; an option without it is a switch. */
  readonly value?: string;
  readonly about: string;
}

export interface PositionalDeclaration {
  readonly name: string;
  readonly isOptional?: true;
  /** Takes all words from here on, none included: the last one of its command. */
  readonly isRest?: true;
}

export interface Command {
  readonly name: string;
  /** One line. */
  readonly about: string;
  readonly positionals: readonly PositionalDeclaration[];
  readonly options: Readonly<Record<string, OptionDeclaration>>;
  /** What one needs to know beyond the lists. */
  readonly details?: string;
  readonly examples: readonly string[];
  run(invocation: Invocation): Promise<ExitName>;
}

/** A parsed command line with what the command works on. */
export interface Invocation {
  readonly terminal: Terminal;
  readonly interruption: Interruption;
  readonly work: WorkInHand;
  readonly suddenEnd: SuddenEnd;
  /** A positional argument that is declared as present. */
  readonly argument: (index: number) => string;
  readonly optionalArgument: (index: number) => string | undefined;
  /** All arguments from an index on. */
  readonly restArguments: (index: number) => readonly string[];
  readonly text: (option: string) => string | undefined;
  /** The items of an option whose value is a list, separated by commas, without the blanks around them; undefined when it is not given. */
  readonly list: (option: string) => readonly string[] | undefined;
  readonly has: (option: string) => boolean;
  readonly place: StorePlace;
  /** A command line that can be pasted and means the same store. */
  readonly commandText: CommandText;
  /** The error for a command line that is wrong, with the help of this command as its remedy. */
  readonly usage: (message: string, cause?: unknown) => AxleError;
}

/** Where configuration and store are, found when they are needed. */
export interface StorePlace {
  /** Where the configuration is, when there is one. */
  readonly configPath: string | undefined;
  /** @throws AxleError `configuration-invalid` */
  config(): Promise<AxleConfig>;
  /** The configuration, when the command looks at one anyway: a store that is named alone needs none. @throws AxleError `configuration-invalid` */
  knownConfig(): Promise<AxleConfig | undefined>;
  /** The path of the store, or the store itself when the configuration holds one. */
  store(): Promise<string | Store>;
}

/** Options that every command has. */
export const globalOptions: Readonly<Record<string, OptionDeclaration>> = {
  config: { value: 'FILE', about: 'the configuration (default: axle.config.ts, .mts, .js or .mjs in this folder)' },
  store: { value: 'PATH', about: 'the store (default: that of the configuration, else ./axle.db)' },
  json: { about: 'print one JSON value on standard output, everything else on standard error' },
  'no-color': { about: 'print without colours (as with NO_COLOR)' },
  help: { about: 'explain the command' },
};
