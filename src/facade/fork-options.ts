/** What `axle.fork` takes. */
import type { Brain } from '../brain/brain.ts';
import {
  type Fields,
  invalid,
  optionalNumber,
  optionalText,
  refuseUnknown,
  texts,
} from '../contract/declare/fields.ts';
import { thereAre } from '../contract/near-miss.ts';
import { AxleError } from '../error/axle-error.ts';
import { concealIn } from '../execute/aliases/conceal-in.ts';
import type { ForkRequest } from '../replay/fork-run.ts';
import { defined } from '../util/defined.ts';
import { isRecord, type JsonValue, toJson } from '../util/json.ts';

export interface ForkOptions {
  /** The step that is made anew, with everything after it; 1 begins where the run began. */
  readonly at: number;
  /** The name under which `createAxle({ models })` knows the model that answers from here on. @defaultValue that of the run */
  readonly model?: string;
  /** What the model is told before everything else. @defaultValue that of the run */
  readonly instructions?: string;
  /** In the place of what the run was asked. */
  readonly input?: string;
  /** Other outputs of calls of the run, by their ids (`3.0`): of shared steps the model sees them, of later ones they answer the same call. Their form is not checked, so that a wrong one can be tried. */
  readonly results?: Readonly<Record<string, unknown>>;
  /** Tools whose side effects may be performed where no result is recorded; policy decides about each call. @defaultValue none */
  readonly live?: readonly string[];
  /** Your own name for the request: the same key gives the same fork. */
  readonly key?: string;
}

const names = ['at', 'model', 'instructions', 'input', 'results', 'live', 'key'];
const maxResults = 1_000;
const maxLive = 1_000;

/** @throws AxleError `usage-invalid`, `model-unknown`, `value-not-storable` */
export function readForkOptions(
  options: ForkOptions,
  { models, conceal }: { readonly models: ReadonlyMap<string, Brain>; readonly conceal: (text: string) => string },
): ForkRequest {
  const values: unknown = options;
  if (!isRecord(values)) throw new AxleError('usage-invalid', 'fork takes an object with its options.');
  const fields: Fields = { owner: 'fork', values, code: 'usage-invalid' };
  refuseUnknown(fields, names);
  const at = optionalNumber(fields, 'at', { from: 1, to: 1_000_000, whole: true });
  if (at === undefined) throw invalid(fields, 'at', 'the number of the step that is made anew');
  const [model, instructions, input] = [
    optionalText(fields, 'model'),
    optionalText(fields, 'instructions'),
    optionalText(fields, 'input'),
  ];
  optionalText(fields, 'key');
  const live = options.live === undefined ? undefined : texts(fields, 'live', maxLive);
  return concealIn(
    { at, ...defined({ instructions, input, live, results: readResults(fields), model: modelOf(model, models) }) },
    conceal,
  );
}

function modelOf(name: string | undefined, models: ReadonlyMap<string, Brain>): ForkRequest['model'] {
  if (name === undefined) return undefined;
  const brain = models.get(name);
  if (brain !== undefined) return { name, id: brain.id };
  throw new AxleError('model-unknown', `No model is named ${name}; ${thereAre(name, models.keys())}.`);
}

function readResults(fields: Fields): Readonly<Record<string, JsonValue>> | undefined {
  const { results } = fields.values;
  if (results === undefined) return undefined;
  if (!isRecord(results) || Object.keys(results).length > maxResults) {
    throw invalid(fields, 'results', `an object from at most ${maxResults} ids of calls to outputs`);
  }
  return Object.fromEntries(Object.entries(results).map(([callId, output]) => [callId, toJson(output)]));
}
