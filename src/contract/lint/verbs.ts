/** The verbs by which tools are named, and what each says of a call. */
import type { Contract } from '../contract.ts';
import { wordsOf } from '../tool-index.ts';

export interface Verb {
  readonly word: string;
  /** Verbs of one kind say the same of the same thing. */
  readonly kind: string;
  readonly changes: boolean;
  /** True for what cannot be taken back. */
  readonly isFinal: boolean;
}

const kinds: readonly (readonly [kind: string, words: string, says: 'reads' | 'changes' | 'ends'])[] = [
  ['look', 'describe fetch find get lookup read show view', 'reads'],
  ['list', 'list', 'reads'],
  ['search', 'query search', 'reads'],
  ['check', 'check validate', 'reads'],
  ['count', 'calculate count', 'reads'],
  ['export', 'download export', 'reads'],
  ['convert', 'convert translate', 'reads'],
  ['create', 'add create insert upload write', 'changes'],
  ['update', 'rename set update', 'changes'],
  ['remove', 'remove', 'changes'],
  ['erase', 'delete drop purge wipe', 'ends'],
  ['archive', 'archive', 'changes'],
  ['import', 'import', 'changes'],
  ['copy', 'copy', 'changes'],
  ['move', 'move', 'changes'],
  ['start', 'enable open start', 'changes'],
  ['stop', 'close disable stop', 'changes'],
  ['restart', 'restart', 'changes'],
  ['invite', 'invite', 'changes'],
  ['schedule', 'schedule', 'changes'],
  ['approve', 'approve', 'changes'],
  ['cancel', 'cancel', 'changes'],
  ['submit', 'post publish submit', 'changes'],
  ['book', 'book reserve', 'changes'],
  ['merge', 'merge', 'changes'],
  ['assign', 'assign', 'changes'],
  ['deploy', 'deploy', 'changes'],
  ['send', 'send', 'ends'],
  ['pay', 'charge pay transfer', 'ends'],
  ['refund', 'refund', 'ends'],
];

const verbs: ReadonlyMap<string, Verb> = new Map(
  kinds.flatMap(([kind, words, says]) =>
    words.split(' ').map((word) => [word, { word, kind, changes: says !== 'reads', isFinal: says === 'ends' }]),
  ),
);

/** The verb of a name such as `crm.find_contact`, `sendMail` or `contact_delete`. */
export function verbOf({ name }: Contract): Verb | undefined {
  const words = wordsOf(name.slice(name.lastIndexOf('.') + 1));
  return verbs.get(words[0] ?? '') ?? verbs.get(words.at(-1) ?? '');
}
