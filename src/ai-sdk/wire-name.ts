/** Providers take tool names of `[a-zA-Z0-9_-]{1,64}` only; Axle's names may hold dots (`crm.find`), and a model's invented ones anything. */
import { sha256 } from '../util/hash.ts';

const legalName = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The name under which a provider is shown a tool: the name itself where it is legal, else a legal one that no other name gets.
 * A pure function of the name, so that converted history stays valid whatever the list of tools is.
 */
export function wireName(name: string): string {
  if (legalName.test(name)) return name;
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 50);
  return `${readable}_${sha256(name).slice(0, 10)}`;
}
