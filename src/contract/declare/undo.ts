/** The undo of a declaration: a contract of its own, derived from the tool, so that taking back is under the effect law like everything else. */
import { type Effect, effects, type Risk, risks } from '../../call/effect.ts';
import { undoName } from '../../call/undo.ts';
import { defined } from '../../util/defined.ts';
import { sha256 } from '../../util/hash.ts';
import { canonicalJson, isJsonObject, isRecord, type JsonValue, toJson } from '../../util/json.ts';
import type { Contract, ToolContext, VerifyAnswer } from '../contract.ts';
import { toCheckedSchema } from '../schema/checked-schema.ts';
import { locksBelow } from '../lock-names.ts';
import { type Facts, readTerms } from './facts.ts';
import { type Fields, invalid, oneOf, refuseUnknown } from './fields.ts';

/** How what a tool did is taken back, with terms of its own. */
export interface UndoDeclaration<In = never, Out = never> {
  /** What taking back does to the world. @defaultValue 'write' */
  readonly effect?: Exclude<Effect, 'read'>;
  /** How much harm a wrong undo can do; high asks a person. @defaultValue that of the tool */
  readonly risk?: Risk;
  /** @defaultValue that of every tool */
  readonly timeout?: number | string;
  readonly retry?: { readonly attempts?: number; readonly baseMs?: number; readonly capMs?: number };
  readonly settle?: number | string;
  execute(input: In, output: Out, context: ToolContext): unknown;
  /** Finds out whether an undo in doubt had its effect. Must change nothing. */
  verify?(input: In, output: Out, context: ToolContext): VerifyAnswer | Promise<VerifyAnswer>;
}

const taken = toCheckedSchema(
  {
    type: 'object',
    properties: { input: {}, output: {} },
    required: ['input', 'output'],
    additionalProperties: false,
  },
  'input',
  'The input schema of every undo',
);

/** The contract under which calls of the tool are taken back. @throws AxleError `contract-invalid` */
export function readUndo(fields: Fields, facts: Facts): Contract | undefined {
  const { undo } = fields.values;
  if (undo === undefined) return undefined;
  if (facts.effect === 'read') throw invalid(fields, 'undo', 'left out for a read, which changes nothing');
  if (facts.irreversible) throw invalid(fields, 'undo', 'left out for a tool that is irreversible');
  const own: Fields = { ...fields, owner: `${fields.owner}, undo`, values: declared(fields, undo) };
  refuseUnknown(own, ['effect', 'risk', 'timeout', 'retry', 'settle', 'execute', 'verify']);
  const { execute, verify } = own.values;
  if (!isTaking(execute)) throw invalid(own, 'execute', 'a function');
  if (verify !== undefined && !isTaking(verify)) throw invalid(own, 'verify', 'a function');
  const effect = oneOf(own, 'effect', effects) ?? 'write';
  if (effect === 'read') throw invalid(own, 'effect', 'idempotent or write');
  const risk = oneOf(own, 'risk', risks) ?? facts.risk;
  // Taking back touches what the call touched.
  const { locks, authorization } = facts.terms;
  const kept = effect === 'write' ? locks : locks?.map(({ keptInDoubt: _never, ...lock }) => lock);
  const terms = readTerms(own, {
    effect,
    risk,
    irreversible: false,
    canVerify: verify !== undefined,
    ...defined({ authorization, locks: kept && locksBelow(kept, '/input') }),
  });
  const plain = {
    name: undoName(facts.name),
    version: facts.version,
    description: `Takes back what a call of ${facts.name} did.`,
    tags: [],
    examples: [],
    effect,
    risk,
    irreversible: false,
    terms,
  };
  const declaration = canonicalJson(toJson({ ...plain, input: taken.json }));
  const hash = sha256(declaration);
  const shape = sha256(canonicalJson({ input: taken.json, output: null, effect }));
  return Object.freeze({
    ...plain,
    input: taken,
    pin: Object.freeze({ name: plain.name, version: plain.version, hash, shape, terms }),
    declaration,
    fallback: [],
    execute: async (value: JsonValue, context: ToolContext): Promise<unknown> => execute(...partsOf(value), context),
    ...(verify === undefined
      ? {}
      : {
          // What it answers is held to its form where it is asked.
          verify: async (value: JsonValue, context: ToolContext): Promise<VerifyAnswer> =>
            asAnswer(await verify(...partsOf(value), context)),
        }),
  });
}

function declared(fields: Fields, undo: unknown): Readonly<Record<string, unknown>> {
  if (typeof undo === 'function') return { execute: undo };
  if (isRecord(undo)) return undo;
  throw invalid(fields, 'undo', 'a function, or an object with execute');
}

type Taking = (input: JsonValue, output: JsonValue, context: ToolContext) => unknown;

// A function's parameters leave no trace at run time; what it is handed was checked when the call was made.
function isTaking(value: unknown): value is Taking {
  return typeof value === 'function';
}

function partsOf(value: JsonValue): [input: JsonValue, output: JsonValue] {
  const { input = null, output = null } = isJsonObject(value) ? value : {};
  return [input, output];
}

function asAnswer(answer: unknown): VerifyAnswer {
  const said = isRecord(answer) ? answer : {};
  if (said['happened'] === true) return { happened: true, output: said['output'] };
  return said['happened'] === false ? { happened: false } : { happened: 'unknown' };
}
