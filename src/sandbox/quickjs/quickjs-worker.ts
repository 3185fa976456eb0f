/**
 * The thread that runs one piece of JavaScript in QuickJS, compiled to WebAssembly: an engine of its own, without a way to the one around it.
 * It imports nothing of Axle, so that it runs from source and from a build alike. It answers once.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten';

export interface SourceRequest {
  readonly source: string;
  /** JSON text. */
  readonly input: string;
  readonly memoryBytes: number;
  readonly outputBytes: number;
}

export type SourceAnswer =
  | { readonly kind: 'output'; readonly text: string; readonly log: string }
  | { readonly kind: 'failed'; readonly message: string; readonly log: string }
  | { readonly kind: 'memory' | 'output-limit'; readonly log: string }
  /** The package is not installed. */
  | { readonly kind: 'missing'; readonly message: string };

/** Node has it; its types come with those of browsers alone. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => object;
};

const pageBytes = 65_536;
/** What the module asks for at its start: 16 MB, the engine included. */
const leastPages = 256;
const maxStackBytes = 512 * 1024;

/** Calls what the source exports, and leaves the result as text. */
const main = `
import run from 'tool';
if (typeof run !== 'function') throw new TypeError('The source must export a function by default.');
export const text = JSON.stringify((await run(JSON.parse(inputText))) ?? null);
`;

/** Written on import: a thread without a parent is a mistake of the caller. */
const port = parentPort;
if (port === null) throw new Error('The QuickJS worker is started by the sandbox only.');
// oxlint-disable-next-line typescript/no-unsafe-assignment -- written by the driver, and typed on both sides as SourceRequest
const request: SourceRequest = workerData;
port.postMessage(await answerTo(request));

async function answerTo(request: SourceRequest): Promise<SourceAnswer> {
  let quickjs;
  try {
    const { newQuickJSWASMModule, newVariant, RELEASE_SYNC } = await import('quickjs-emscripten');
    quickjs = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmMemory: boundedMemory(request.memoryBytes) }));
  } catch (error) {
    return { kind: 'missing', message: error instanceof Error ? error.message : String(error) };
  }
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(request.memoryBytes);
  runtime.setMaxStackSize(maxStackBytes);
  runtime.setModuleLoader((name) =>
    name === 'tool' ? request.source : { error: new Error(`There is no module ${name} here.`) },
  );
  // Nothing is disposed of: the thread ends with its answer, and takes all of it along.
  return run(runtime, runtime.newContext(), request);
}

/**
 * All the memory that the engine can have, beside what it starts with. The engine has a limit of its own, which says more when it is hit; but it does not count
 * the buffers of typed arrays (found by a probe: 64 MB were taken where 16 were allowed).
 */
function boundedMemory(memoryBytes: number): object {
  const maximum = Math.min(32_768, leastPages + Math.ceil(memoryBytes / pageBytes));
  return new WebAssembly.Memory({ initial: leastPages, maximum });
}

function run(runtime: QuickJSRuntime, context: QuickJSContext, request: SourceRequest): SourceAnswer {
  const log: string[] = [];
  let left = request.outputBytes;
  const say = (...handles: QuickJSHandle[]): void => {
    const line = handles.map((handle) => textOf(context, handle)).join(' ');
    const bytes = Buffer.from(line);
    if (left > 0) log.push(bytes.byteLength <= left ? line : bytes.toString('utf8', 0, left));
    left -= bytes.byteLength + 1;
  };
  const console = context.newObject();
  for (const name of ['log', 'info', 'warn', 'error', 'debug']) {
    context.setProp(console, name, context.newFunction(name, say));
  }
  context.setProp(context.global, 'console', console);
  context.setProp(context.global, 'inputText', context.newString(request.input));
  const logged = (): { readonly log: string } => ({ log: log.join('\n') });
  const failed = (handle: QuickJSHandle): SourceAnswer => {
    const message = textOf(context, handle);
    // With no memory left for an error the engine throws null.
    const isMemory = message === 'null' || message.includes('out of memory');
    return isMemory ? { kind: 'memory', ...logged() } : { kind: 'failed', message, ...logged() };
  };
  const evaluated = context.evalCode(main, 'main.js', { type: 'module' });
  if (evaluated.error !== undefined) return failed(evaluated.error);
  const jobs = runtime.executePendingJobs();
  if (jobs.error !== undefined) return failed(jobs.error);
  const state = context.getPromiseState(evaluated.value);
  if (state.type === 'rejected') return failed(state.error);
  if (state.type === 'pending') {
    return { kind: 'failed', message: 'It waits for something that can never happen here.', ...logged() };
  }
  const module = state.notAPromise === true ? evaluated.value : state.value;
  const text = context.getString(context.getProp(module, 'text'));
  if (left < 0 || Buffer.byteLength(text) > left) return { kind: 'output-limit', ...logged() };
  return { kind: 'output', text, ...logged() };
}

/** A value as a person reads it: an error by its name, its message and its place. */
function textOf(context: QuickJSContext, handle: QuickJSHandle): string {
  const value: unknown = context.dump(handle);
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || !('message' in value)) return JSON.stringify(value ?? null);
  const { message } = value;
  const name = 'name' in value && typeof value.name === 'string' ? value.name : 'Error';
  const place = 'stack' in value && typeof value.stack === 'string' ? value.stack.trim().split('\n')[0]?.trim() : '';
  return `${name}: ${String(message)}${place === undefined || place === '' ? '' : ` (${place})`}`;
}
