/** The texts that give a real value away: the value in every spelling, and, of one that is an address, its parts, as errors of systems name them. Pure. */
import { spellingsOf } from '../../util/spellings.ts';

export interface TellingTexts {
  /** Replaced wherever they stand. */
  readonly anywhere: readonly string[];
  /** Replaced where they stand as a word: they may be short, or part of another word. */
  readonly words: readonly string[];
}

/** Shorter parts say nothing, and are in every second word. */
export const minWordLength = 3;

/** @param also Further words that the declaration names: an address behind a name, a name of a table */
export function tellingTexts(value: string, also: readonly string[]): TellingTexts {
  const words = [...also, ...addressParts(value)].filter((word) => word.length >= minWordLength);
  return { anywhere: spellingsOf(value), words: [...new Set(words)] };
}

/** Origin, host, user, password and, where it is no web address, the name of the database. */
function addressParts(value: string): readonly string[] {
  const [, hostAlone] = /^([^\s:/@?#]+):\d{1,5}$/.exec(value) ?? [];
  if (hostAlone !== undefined) return [hostAlone];
  if (!URL.canParse(value)) return [];
  const { protocol, host, hostname, username, password, pathname } = new URL(value);
  if (hostname === '') return [];
  const [, written = ''] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]+)/i.exec(value) ?? [];
  const isWeb = /^(?:https?|wss?):$/.test(protocol);
  const database = isWeb ? '' : (pathname.split('/')[1] ?? '');
  const parts = [`${protocol}//${host}`, host, hostname, written, username, password, database];
  return parts.flatMap((part) => [part, decoded(part)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
