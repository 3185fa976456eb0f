/**
 * The id under which a provider is shown a call. A conversation may go from one provider to another, and each takes ids of its own form only.
 *
 * I1 An id that the provider takes stays as it is. Any other becomes one that is a function of the id alone: a call and its result stay together, whenever they are sent.
 * I2 The history keeps the ids that it has; only what is sent changes.
 */
import { sha256Hex } from '../util/hash.ts';

/** What all providers but those below take. */
const usualId = /^[a-zA-Z0-9_-]{1,64}$/;
/** Mistral takes nine letters and digits, no more and no less. */
const mistralId = /^[a-zA-Z0-9]{9}$/;
const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The id for a provider, named as its model objects name it: `mistral.chat`, for example. */
export function wireId(id: string, provider: string): string {
  if (/^mistral(?:\.|$)/.test(provider)) return mistralId.test(id) ? id : nineCharacters(id);
  return usualId.test(id) ? id : `call_${sha256Hex(id).slice(0, 32)}`;
}

/** 53 bits of the hash. */
function nineCharacters(id: string): string {
  const hash = sha256Hex(id);
  return Array.from({ length: 9 }, (_, place) =>
    alphabet.charAt(Number.parseInt(hash.slice(place * 6, place * 6 + 6), 16) % alphabet.length),
  ).join('');
}
