/** Randomness as a port: a draw is taken here and then recorded, so that a recording can be decided again. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}
