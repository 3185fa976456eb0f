/**
 * A tool of the AI SDK as a contract. It says nothing about effect and risk, so it counts as `write` and medium unless the caller says more.
 *
 * What it does say is taken over: description, schemas, examples; a tool that needs approval becomes high risk, whatever else is declared.
 * What Axle has no counterpart for is refused where the tool could not work without it (a context of its own, a provider that runs it), and
 * left out where it only shapes what a user interface or a model is shown (`title`, `toModelOutput`, `onInputDelta` and the like).
 */
import type { Contract, ToolContext } from '../contract/contract.ts';
import { type JsonTool, tool, type ToolFacts } from '../contract/tool.ts';
import { ToolError } from '../contract/tool-error.ts';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { defined } from '../util/defined.ts';
import { isRecord, type JsonValue, toJson } from '../util/json.ts';

/** What `tool()` of AI SDK 6 and 7 gives back, as far as it matters here. */
export interface AiSdkTool {
  readonly inputSchema: unknown;
  readonly description?: unknown;
  readonly execute?: unknown;
  readonly needsApproval?: unknown;
  readonly outputSchema?: unknown;
  readonly inputExamples?: unknown;
  readonly contextSchema?: unknown;
  readonly type?: unknown;
}

/** What the AI SDK has no field for. */
export type DeclaredFacts = Omit<ToolFacts, 'name' | 'description'>;

/** Items that one call may yield: only the last is its result. */
const maxYields = 100_000;

/**
 * Takes over a tool of the AI SDK, under the name that it has in the AI SDK's object of tools.
 * Its code is handed the idempotency key of the call as `toolCallId`, the one identity that the AI SDK gives a call, and no messages.
 *
 * @param facts What the tool cannot say itself: `{ effect: 'read' }`, for example.
 * @throws AxleError `contract-invalid` for a tool that only a client or a provider can run, `schema-unsupported`, and whatever `tool()` refuses.
 */
export function fromAiSdkTool(name: string, aiTool: AiSdkTool, facts: DeclaredFacts = {}): Contract {
  const execute = executeOf(name, aiTool);
  const input = readSchema(name, aiTool.inputSchema);
  const output = aiTool.outputSchema === undefined ? undefined : readSchema(name, aiTool.outputSchema);
  const examples = readExamples(aiTool.inputExamples);
  return tool({
    ...facts,
    ...(isApprovalNeeded(aiTool.needsApproval) ? { risk: 'high' } : {}),
    name,
    description: describe(name, aiTool.description),
    input: input.schema,
    ...defined({ output: output?.schema, examples }),
    execute: async (value, context) => run(execute, await input.validate(value), context),
  });
}

type AnyFunction = (...values: readonly unknown[]) => unknown;

function executeOf(name: string, aiTool: AiSdkTool): AnyFunction {
  const { execute, type, contextSchema } = aiTool;
  if (type === 'provider') throw unusable(name, 'is run by a provider, which Axle cannot govern');
  if (contextSchema !== undefined) throw unusable(name, 'needs a context, which Axle does not hand on');
  if (!isFunction(execute)) throw unusable(name, 'has no execute function');
  return (...values) => execute.apply(aiTool, [...values]);
}

function unusable(name: string, why: string): AxleError {
  return new AxleError('contract-invalid', `The AI SDK tool ${name} ${why}.`, {
    remedy: 'Declare it with tool() of axle.',
  });
}

// A function's parameters leave no trace at run time; the AI SDK's own types say what they are.
function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

/** A function decides by input and conversation; a person asked once too often is the safe side of that. */
function isApprovalNeeded(needsApproval: unknown): boolean {
  return needsApproval === true || typeof needsApproval === 'function';
}

function describe(name: string, description: unknown): string {
  const words: unknown = isFunction(description) ? description({ context: undefined }) : description;
  return typeof words === 'string' && words.trim() !== '' ? words : name;
}

function readExamples(examples: unknown): JsonTool['examples'] {
  if (!Array.isArray(examples) || examples.length === 0) return undefined;
  return examples.map((example: unknown) => ({ input: toJson(isRecord(example) ? example['input'] : example) }));
}

interface ReadSchema {
  readonly schema: JsonTool['input'];
  /** What the schema of the AI SDK makes of an input that fits its JSON Schema. */
  readonly validate: (value: JsonValue) => Promise<unknown>;
}

/** Set by `jsonSchema()`, `zodSchema()` and the like on what they return, in every copy of the AI SDK. */
const schemaMark = Symbol.for('vercel.ai.schema');

function readSchema(name: string, given: unknown): ReadSchema {
  const found: unknown = isLazy(given) ? given() : given;
  if (!isRecord(found) || !(schemaMark in found)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tool() finds out which of its two kinds of schema this is, and refuses anything else.
    return { schema: found as JsonTool['input'], validate: (value) => Promise.resolve(value) };
  }
  const { jsonSchema, validate } = found;
  if (!isRecord(jsonSchema) || jsonSchema instanceof Promise) {
    throw new AxleError(
      'schema-unsupported',
      `A schema of the AI SDK tool ${name} is not there yet: it is a promise.`,
      {
        remedy: 'Await the schema before the tool is declared.',
      },
    );
  }
  return { schema: jsonSchema, validate: (value) => validated(validate, value) };
}

/** Schemas that are made when they are first needed. A validator may be a function too (arktype): it carries `~standard`. */
function isLazy(schema: unknown): schema is () => unknown {
  return typeof schema === 'function' && !('~standard' in schema);
}

async function validated(validate: unknown, value: JsonValue): Promise<unknown> {
  if (!isFunction(validate)) return value;
  const result = await validate(value);
  if (isRecord(result) && result['success'] === true) return result['value'];
  const why = isRecord(result) ? messageOf(result['error']) : 'the schema refused it';
  throw new ToolError({
    code: 'arguments-invalid',
    class: 'recoverable',
    effect: 'none',
    message: `The arguments do not fit: ${why}`,
  });
}

async function run(execute: AnyFunction, input: unknown, context: ToolContext): Promise<unknown> {
  const options = { toolCallId: context.idempotencyKey, messages: [], abortSignal: context.signal, context: undefined };
  const result = await execute(input, options);
  return isAsyncIterable(result) ? lastOf(result, context.signal) : result;
}

/** A tool that yields shows its progress that way; its result is what it yields last. */
async function lastOf(results: AsyncIterable<unknown>, signal: AbortSignal): Promise<unknown> {
  let last: unknown;
  let count = 0;
  for await (const result of results) {
    signal.throwIfAborted();
    count += 1;
    if (count > maxYields) throw new AxleError('limit-exceeded', `The tool yielded more than ${maxYields} times.`);
    last = result;
  }
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
