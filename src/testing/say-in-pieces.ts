/** An answer as a model that streams writes it: its parts one after another, in pieces of a size. */
import type { BrainDelta, BrainRequest } from '../brain/brain.ts';
import type { ModelPart } from '../call/message.ts';

export interface Pieces {
  /** Characters of one piece. @defaultValue the answer is said whole, at its end */
  readonly pieceChars?: number;
  /** Awaited before each piece: a test decides when it comes, and whether it does. */
  readonly beforePiece?: (piece: BrainDelta) => Promise<void>;
}

/** Tells whoever takes pieces what the parts consist of. */
export async function sayInPieces(
  parts: readonly ModelPart[],
  { onDelta }: Pick<BrainRequest, 'onDelta'>,
  { pieceChars, beforePiece }: Pieces,
): Promise<void> {
  if (onDelta === undefined || pieceChars === undefined) return;
  for (const [part, said] of parts.entries()) {
    for (const piece of piecesOf(said, part, pieceChars)) {
      await beforePiece?.(piece);
      onDelta(piece);
    }
  }
}

function piecesOf(said: ModelPart, part: number, pieceChars: number): readonly BrainDelta[] {
  if (said.kind !== 'call') return cut(said.text, pieceChars).map((text) => ({ kind: said.kind, part, text }));
  const { toolCallId, toolName, argumentsText } = said;
  return ['', ...cut(argumentsText, pieceChars)].map((text) => ({ kind: 'call', part, toolCallId, toolName, text }));
}

/** Cuts between characters, never inside of one. */
function cut(text: string, pieceChars: number): readonly string[] {
  const chars = Array.from(text);
  const count = Math.ceil(chars.length / pieceChars);
  return Array.from({ length: count }, (_, index) =>
    chars.slice(index * pieceChars, (index + 1) * pieceChars).join(''),
  );
}
