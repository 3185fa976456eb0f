/**
 * What an operation is held to: its method's terms, or what whoever configures it declares, tightened by what the document says of itself, never loosened.
 *
 * E1 GET, HEAD, OPTIONS and QUERY are reads; everything else is a `write`. That PUT and DELETE may be repeated is what HTTP asks of servers, and not what this one
 *    does: who knows it declares `idempotent`.
 * E2 A DELETE that nobody says more about is irreversible, of high risk, and so asks a person.
 * E3 `x-axle-effect`, `x-axle-risk` and `x-axle-irreversible` count where they are stricter. They stand in somebody else's document.
 */
import { type Effect, effects, type Risk, risks } from '../call/effect.ts';
import type { SourceToolTerms } from '../contract/declare/source-terms.ts';
import { defined } from '../util/defined.ts';
import { type Operation, readMethods } from './operation.ts';

/** What is known of an operation beside its document. */
export type OperationTerms = SourceToolTerms;

/** The terms of an operation, as `tool()` takes them. */
export function termsOf(
  { method, json }: Operation,
  declared: OperationTerms,
): OperationTerms & { readonly effect: Effect } {
  const wanted = declared.effect ?? (readMethods.has(method) ? 'read' : 'write');
  const effect = strictest(effects, wanted, json['x-axle-effect']);
  const isDelete = method === 'delete' && declared.effect !== 'read';
  const risk = strictest(
    risks,
    declared.risk ?? defaultRisk(effect, isDelete && declared.irreversible !== false),
    json['x-axle-risk'],
  );
  const irreversible =
    effect !== 'read' && ((declared.irreversible ?? isDelete) || json['x-axle-irreversible'] === true);
  const { parallel, cache, ...rest } = declared;
  return {
    ...rest,
    effect,
    risk,
    irreversible,
    // Left out where a hint made more of it than was declared: the contract would be refused.
    ...(effect === wanted ? defined({ parallel, cache }) : {}),
  };
}

function defaultRisk(effect: Effect, isDelete: boolean): Risk {
  if (effect === 'read') return 'low';
  return isDelete ? 'high' : 'medium';
}

/** The later of two in a list that goes from the mildest to the strictest. */
function strictest<T extends string>(order: readonly T[], declared: T, hint: unknown): T {
  const hinted = order.find((each) => each === hint);
  return hinted !== undefined && order.indexOf(hinted) > order.indexOf(declared) ? hinted : declared;
}
