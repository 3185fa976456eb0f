/** The proof of a sandbox for source text: attempts that JavaScript can make on the engine that runs it. */
import type { SandboxProperty } from '../../call/isolation.ts';
import { defaultLimits } from '../../contract/declare/program.ts';
import type {
  ProbeResult,
  Proof,
  SandboxDriver,
  SandboxJob,
  SandboxResult,
} from '../../execute/sandbox/sandbox-driver.ts';
import { proofOf, whatWasSaid } from './verdict.ts';

interface SourceProbe {
  readonly probe: string;
  readonly property: SandboxProperty;
  /** An expression, perhaps with `await`, that is true when it got through. */
  readonly attempt: string;
}

const imports = (name: string): string => `Object.keys(await import('${name}')).length > 0`;
const hostProcess = '(() => {}).constructor(\'return typeof process === "object" && process\')()';

const probes: readonly SourceProbe[] = [
  { probe: 'import the file system', property: 'files', attempt: imports('node:fs') },
  { probe: 'import the std module of QuickJS', property: 'files', attempt: imports('std') },
  { probe: 'import a file by its path', property: 'files', attempt: imports('/etc/passwd') },
  { probe: 'find a loader', property: 'files', attempt: "typeof require === 'function' || typeof module === 'object'" },
  { probe: 'reach the process by a constructor', property: 'environment', attempt: hostProcess },
  {
    probe: 'find the process',
    property: 'environment',
    attempt: "typeof process !== 'undefined' || typeof Deno !== 'undefined'",
  },
  {
    probe: 'climb out of a function of the host',
    property: 'environment',
    attempt: 'console.log.constructor(\'return typeof process === "object"\')()',
  },
  {
    probe: 'find fetch or a socket',
    property: 'network',
    attempt: "[typeof fetch, typeof WebSocket, typeof XMLHttpRequest].some((kind) => kind !== 'undefined')",
  },
  { probe: 'import sockets', property: 'network', attempt: imports('node:net') },
  { probe: 'import processes', property: 'processes', attempt: imports('node:child_process') },
  { probe: 'start a thread', property: 'processes', attempt: "typeof Worker !== 'undefined'" },
  { probe: 'import the os module of QuickJS', property: 'kernel', attempt: imports('os') },
  {
    probe: 'find anything beyond the language',
    property: 'kernel',
    attempt: 'Object.getOwnPropertyNames(globalThis).some((name) => !input.known.includes(name))',
  },
  { probe: 'import a place to write', property: 'disk', attempt: imports('node:fs/promises') },
];

const source = `export default async (input) => {
  const results = [];
  ${probes.map(({ attempt }) => `try { results.push(Boolean(${attempt})); } catch { results.push(false); }`).join('\n  ')}
  return results;
};`;

/** What ECMAScript itself puts into the global object, and the two names that the sandbox adds. */
const known: readonly string[] = [
  'Object',
  'Function',
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'InternalError',
  'AggregateError',
  'Iterator',
  'Array',
  'parseInt',
  'parseFloat',
  'isNaN',
  'isFinite',
  'decodeURI',
  'decodeURIComponent',
  'encodeURI',
  'encodeURIComponent',
  'escape',
  'unescape',
  'Infinity',
  'NaN',
  'undefined',
  'Number',
  'Boolean',
  'String',
  'Math',
  'Reflect',
  'Symbol',
  'eval',
  'globalThis',
  'Date',
  'RegExp',
  'JSON',
  'Proxy',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'WeakRef',
  'FinalizationRegistry',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'Atomics',
  'Uint8ClampedArray',
  'Int8Array',
  'Uint8Array',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'DataView',
  'Promise',
  'BigInt',
  'performance',
  'queueMicrotask',
  'DOMException',
  'console',
  'inputText',
];

export async function proveSource(driver: SandboxDriver, thorough: boolean): Promise<Proof> {
  const { signal } = new AbortController();
  const run = (text: string, more: Partial<SandboxJob> = {}): Promise<SandboxResult> =>
    driver.run(
      {
        code: { kind: 'source', source: text },
        stdin: JSON.stringify({ known }),
        files: {},
        environment: {},
        limits: defaultLimits,
        wallMs: 10_000,
        network: [],
        ...more,
      },
      signal,
    );
  const first = await run(source);
  const said: unknown = first.end.kind === 'ok' ? JSON.parse(first.stdout) : undefined;
  if (!Array.isArray(said) || said.length !== probes.length) {
    return { kind: 'unusable', reason: `a first job did not run: ${whatWasSaid(first)}` };
  }
  const results = probes.map(({ probe, property }, index): ProbeResult => ({
    probe,
    property,
    verdict: said[index] === false ? 'contained' : 'open',
  }));
  const excess = await Promise.all([takeMemory(run), runForEver(run), ...(thorough ? [flood(run)] : [])]);
  return proofOf(
    [...results, ...excess.flat()],
    ['it has the language and nothing else; processor time is that of the clock'],
  );
}

type RunSource = (text: string, more?: Partial<SandboxJob>) => Promise<SandboxResult>;

async function takeMemory(run: RunSource): Promise<readonly ProbeResult[]> {
  const text =
    'export default () => { const all = []; for (let i = 0; i < 64; i += 1) all.push(new Uint8Array(1024 * 1024).fill(1)); return all.length; }';
  const { end } = await run(text, { limits: { ...defaultLimits, memoryBytes: 16 * 1024 * 1024 } });
  return [{ probe: 'take memory', property: 'memory', verdict: end.kind === 'memory' ? 'contained' : 'open' }];
}

/** A job of this kind starts nothing, so what could live on is its own thread. */
async function runForEver(run: RunSource): Promise<readonly ProbeResult[]> {
  const results = await Promise.all(
    ['for (;;) ;', 'await null;', '/^(a+)+$/.test("a".repeat(40) + "b");'].map(async (body, index) => {
      const text = index === 1 ? `export default async () => { for (;;) ${body} }` : `export default () => { ${body} }`;
      const { end, usage } = await run(text, { wallMs: 400 });
      return end.kind === 'timeout' && usage.wallMs < 5_000;
    }),
  );
  const verdict = results.every(Boolean) ? 'contained' : 'open';
  return [
    { probe: 'run without end', property: 'time', verdict },
    { probe: 'outlive a job that is killed', property: 'treeKill', verdict },
  ];
}

async function flood(run: RunSource): Promise<readonly ProbeResult[]> {
  const text =
    "export default () => { console.log('x'.repeat(10000)); console.log('x'.repeat(100000)); return 'x'.repeat(1000000); }";
  const { end, usage } = await run(text, { limits: { ...defaultLimits, outputBytes: 50_000 } });
  const isHeld = end.kind === 'output-limit' && usage.outputBytes <= 50_000;
  return [{ probe: 'write without end', property: 'output', verdict: isHeld ? 'contained' : 'open' }];
}
