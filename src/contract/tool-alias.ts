/**
 * The name under which a provider is shown a tool. Axle's names may be long and hold dots, slashes and letters of any script; providers take a few characters.
 *
 * N1 An alias is a pure function of the name and the provider's rules: it is the same after a restart, and whatever other tools come or go.
 * N2 Two names have two aliases. A name that is legal stays as it is, unless it has the form of an alias; everything else ends with a hash of the whole name.
 */
import { sha256Hex } from '../util/hash.ts';

/** What a provider takes as the name of a tool. */
export interface AliasRules {
  /** The characters it takes, as the inside of a character class. */
  readonly characters: string;
  /** What the first character may be, as the inside of a character class. */
  readonly first: string;
  readonly maxLength: number;
}

/** Whose rules are known. `common` is what every provider takes. */
export type AliasProvider = (typeof aliasProviders)[number];

export const aliasProviders = ['openai', 'anthropic', 'google', 'common'] as const;

/** The rules of each provider; docs/names.md says where they stand. */
export const aliasRules: Readonly<Record<AliasProvider, AliasRules>> = {
  openai: { characters: 'A-Za-z0-9_-', first: 'A-Za-z0-9_-', maxLength: 64 },
  anthropic: { characters: 'A-Za-z0-9_-', first: 'A-Za-z0-9_-', maxLength: 128 },
  google: { characters: 'A-Za-z0-9_.-', first: 'A-Za-z_', maxLength: 63 },
  common: { characters: 'A-Za-z0-9_-', first: 'A-Za-z_', maxLength: 63 },
};

/** The rules for a provider by its name, for example `google.generative-ai`: its own where they are known, else what everyone takes. */
export function aliasProviderOf(provider: string): AliasProvider {
  // Providers of others who speak as OpenAI does are named after themselves, and take what they take.
  if (/^(?:openai|azure)(?:\.|$)/.test(provider)) return 'openai';
  if (/^anthropic(?:\.|$)/.test(provider)) return 'anthropic';
  if (/^google(?:\.|$)/.test(provider)) return 'google';
  return 'common';
}

/** Hexadecimal digits of the hash at the end of an alias: 48 bits. */
const hashLength = 12;
const aliasEnd = new RegExp(`_[0-9a-f]{${hashLength}}$`);

/** The alias of a tool's name for a provider. */
export function toolAlias(name: string, provider: AliasProvider = 'common'): string {
  const { legal, illegal, badFirst, maxLength } = compiled[provider];
  if (legal.test(name) && !aliasEnd.test(name)) return name;
  const readable = name
    .replaceAll(illegal, '_')
    .replace(badFirst, '_$&')
    .slice(0, maxLength - hashLength - 1);
  return `${readable}_${sha256Hex(name).slice(0, hashLength)}`;
}

interface Compiled {
  readonly legal: RegExp;
  readonly illegal: RegExp;
  readonly badFirst: RegExp;
  readonly maxLength: number;
}

function compile({ characters, first, maxLength }: AliasRules): Compiled {
  return {
    legal: new RegExp(`^[${first}][${characters}]{0,${maxLength - 1}}$`),
    illegal: new RegExp(`[^${characters}]+`, 'gu'),
    badFirst: new RegExp(`^[^${first}]`),
    maxLength,
  };
}

const compiled: Readonly<Record<AliasProvider, Compiled>> = {
  openai: compile(aliasRules.openai),
  anthropic: compile(aliasRules.anthropic),
  google: compile(aliasRules.google),
  common: compile(aliasRules.common),
};
