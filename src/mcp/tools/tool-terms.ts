/**
 * What a tool of a server is held to: what the user declares, tightened by what the server says of itself, never loosened.
 *
 * A1 Without a declared effect a tool is a `write`, whatever the server's annotations promise.
 * A2 An annotation that contradicts a declared effect wins when it is the stricter of the two.
 * A3 An annotation raises a risk that nobody declared; a declared risk stands.
 */
import type { Effect, Risk } from '../../call/effect.ts';
import { isRecord } from '../../util/json.ts';

export interface DeclaredTerms {
  readonly effect?: Effect;
  readonly risk?: Risk;
}

/** Effect and risk of a tool; the risk is left out when neither side says anything, and the contract's default holds. */
export function tightenedTerms(
  declared: DeclaredTerms,
  annotations: unknown,
): { readonly effect: Effect; readonly risk?: Risk } {
  const hints = isRecord(annotations) ? annotations : {};
  const effect = tightenedEffect(declared.effect ?? 'write', hints);
  const risk = declared.risk ?? (hints['destructiveHint'] === true ? 'high' : undefined);
  return risk === undefined ? { effect } : { effect, risk };
}

function tightenedEffect(declared: Effect, hints: Readonly<Record<string, unknown>>): Effect {
  if (declared === 'read' && (hints['readOnlyHint'] === false || hints['destructiveHint'] === true)) return 'write';
  if (declared === 'idempotent' && hints['idempotentHint'] === false) return 'write';
  return declared;
}
