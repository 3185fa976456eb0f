/** What a brain asks for, before anyone has checked it. */
import type { WrittenInText } from './message.ts';

export interface Intent {
  /** The id that the model gave the call. May be empty or repeated: models do both. */
  readonly toolCallId: string;
  /** The name that the model gave, as it wrote it. */
  readonly toolName: string;
  /** The arguments as the model wrote them: a JSON text, or what should have been one. */
  readonly argumentsText: string;
  /** Present when the call was found in the brain's text. */
  readonly written?: WrittenInText;
}
