/**
 * Aliases: names that a model sees and writes in place of real values (addresses, names of databases), which only an attempt is given.
 *
 * A1 A real value becomes known here alone: it is looked up when an attempt asks for it, and when Axle opens, so that everything that gives it away is known from the start.
 * A2 What leaves an attempt (its output, its error, its progress, its log) has the alias in every place where a real value stood, before an entry is made of it.
 * A3 Values that were replaced are remembered: what was sent an hour ago may come back now.
 */
import type { FromVariable } from '../../contract/program.ts';
import { ToolError } from '../../contract/tool-error.ts';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { tellingTexts } from './telling-texts.ts';

/** Where a real value is: a text, a variable of this process, or a function that asks whoever keeps it. */
export type AliasSource = string | FromVariable | (() => string | Promise<string>);

/** What stands behind an alias. */
export interface DeclaredAlias {
  readonly from: AliasSource;
  /** Further words that give the value away. */
  readonly also: readonly string[];
}

/** What attempts are handed. */
export interface AliasPort {
  /** @throws ToolError `alias-unknown`, `alias-unusable`; nothing was sent then */
  real(alias: string): Promise<string>;
  /** The text with the alias in every place where a real value stands. */
  conceal(text: string): string;
}

/** How many values of one alias are remembered: more than are replaced within the life of a request. */
const maxRemembered = 16;
const minValueLength = 4;
const maxValueLength = 4_096;

export class Aliases implements AliasPort {
  readonly #declared: ReadonlyMap<string, DeclaredAlias>;
  readonly #variable: (name: string) => string | undefined;
  readonly #values = new Map<string, readonly string[]>();
  #matcher: Matcher | undefined;

  private constructor(
    declared: Readonly<Record<string, DeclaredAlias>>,
    variable: (name: string) => string | undefined,
  ) {
    this.#declared = new Map(Object.entries(declared));
    this.#variable = variable;
  }

  /**
   * Looks every value up once. @param variable Gives the value of a variable
   * @throws AxleError `alias-unusable`
   */
  static async open(
    declared: Readonly<Record<string, DeclaredAlias>>,
    variable: (name: string) => string | undefined,
  ): Promise<Aliases> {
    const aliases = new Aliases(declared, variable);
    for (const alias of aliases.names) await aliases.#lookUp(alias);
    const telling = aliases.names.find((alias) => aliases.#matcher?.isIn(alias) === true);
    if (telling !== undefined) throw unusable(telling, 'has a real value, or a part of one, in its name');
    return aliases;
  }

  get names(): readonly string[] {
    return [...this.#declared.keys()];
  }

  has(alias: string): boolean {
    return this.#declared.has(alias);
  }

  async real(alias: string): Promise<string> {
    if (!this.has(alias)) {
      throw new ToolError({
        code: 'alias-unknown',
        class: 'fatal',
        effect: 'none',
        message: `There is no alias ${alias}; ${this.names.length === 0 ? 'none is declared' : `there are ${this.names.join(', ')}`}.`,
      });
    }
    try {
      return await this.#lookUp(alias);
    } catch (cause) {
      throw new ToolError({
        code: 'alias-unusable',
        class: 'fatal',
        effect: 'none',
        message: messageOf(cause),
        cause,
      });
    }
  }

  conceal(text: string): string {
    return this.#matcher === undefined ? text : this.#matcher.replace(text);
  }

  async #lookUp(alias: string): Promise<string> {
    const declared = this.#declared.get(alias);
    const from = declared?.from;
    const value = typeof from === 'function' ? await answerOf(alias, from) : this.#read(alias, from);
    if (value.length < minValueLength || value.length > maxValueLength) {
      throw unusable(alias, `has a value that is shorter than ${minValueLength} or longer than ${maxValueLength}`);
    }
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(value)) throw unusable(alias, 'has a value with a line end or control character');
    this.#remember(alias, value);
    return value;
  }

  #read(alias: string, from: string | FromVariable | undefined): string {
    const value = typeof from === 'object' ? this.#variable(from.variable) : from;
    if (value !== undefined && value !== '') return value;
    const name = typeof from === 'object' ? `the variable ${from.variable}, which` : 'its value, which';
    throw unusable(alias, `has no value: ${name} is not set`);
  }

  #remember(alias: string, value: string): void {
    const known = this.#values.get(alias) ?? [];
    if (known.includes(value)) return;
    this.#values.set(alias, [...known, value].slice(-maxRemembered));
    this.#matcher = new Matcher(
      [...this.#values].flatMap(([name, values]) =>
        values.map((each) => ({ alias: name, ...tellingTexts(each, this.#declared.get(name)?.also ?? []) })),
      ),
    );
  }
}

/** What a store of secrets says when it fails may hold anything, so it is not passed on. */
async function answerOf(alias: string, from: () => string | Promise<string>): Promise<string> {
  let answer: unknown;
  try {
    answer = await from();
  } catch {
    throw unusable(alias, 'could not be looked up');
  }
  if (typeof answer === 'string') return answer;
  throw unusable(alias, `has a function that answers ${typeof answer} and no text`);
}

function unusable(alias: string, why: string): AxleError {
  return new AxleError('alias-unusable', `The alias ${alias} ${why}.`);
}

interface Telling {
  readonly alias: string;
  readonly anywhere: readonly string[];
  readonly words: readonly string[];
}

/** Finds all of it in one pass, the longest first, so that a value within another does not leave the rest of that behind. Hosts have no case, so nothing has. */
class Matcher {
  readonly #aliases = new Map<string, string>();
  readonly #pattern: RegExp;

  constructor(telling: readonly Telling[]) {
    for (const { alias, anywhere } of telling) this.#add(alias, anywhere);
    // What is a value of one alias and a part of another is the former.
    for (const { alias, words } of telling) this.#add(alias, words);
    const patterns = telling.flatMap(({ anywhere, words }) => [
      ...anywhere.map((text) => ({ text, pattern: escaped(text) })),
      ...words.map((text) => ({ text, pattern: `(?<![\\w-])${escaped(text)}(?![\\w-])` })),
    ]);
    const alternatives = patterns
      .toSorted((left, right) => right.text.length - left.text.length)
      .map(({ pattern }) => pattern);
    this.#pattern = new RegExp(alternatives.join('|'), 'gi');
  }

  isIn(text: string): boolean {
    return text.search(this.#pattern) >= 0;
  }

  replace(text: string): string {
    return text.replace(this.#pattern, (found) => this.#aliases.get(found.toLowerCase()) ?? '[alias]');
  }

  #add(alias: string, texts: readonly string[]): void {
    for (const text of texts) {
      const known = text.toLowerCase();
      if (!this.#aliases.has(known)) this.#aliases.set(known, alias);
    }
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
