/** What a judge finds. */

export type ViolationKind =
  /** Something accepted or acknowledged is gone, or a success without its effect. */
  | 'lost'
  /** An effect more than was decided. */
  | 'doubled'
  /** A journal that breaks its own law. */
  | 'journal'
  /** A process that ended otherwise than by a kill, or refused what it should have taken. */
  | 'process'
  /** Too little was seen for the rest to mean anything. */
  | 'vacuous';

export interface Violation {
  readonly kind: ViolationKind;
  readonly text: string;
}

/** Says what is wrong, when it is. */
export type Find = (kind: ViolationKind, text: string) => void;
