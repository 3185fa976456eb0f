/**
 * The sandbox driver `docker`: a fresh container for each job, on an engine that speaks Docker's interface.
 *
 *     created ──attached──► started ──exits, or is killed──► removed
 *                              └──waits for its job (`warm`)
 *
 * D1 A container is removed whatever becomes of its job, and those of owners that are gone are removed before the first job.
 * D2 The engine is asked over its socket; whether there is one is found out by asking, not by looking for a program.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import type {
  Proof,
  SandboxDriver,
  SandboxEnd,
  SandboxJob,
  SandboxResult,
} from '../../execute/sandbox/sandbox-driver.ts';
import { isRecord } from '../../util/json.ts';
import { proveByEscape } from '../escape/prove.ts';
import { jobEnvironment } from '../job-environment.ts';
import { notStarted } from '../../execute/sandbox/not-started.ts';
import { Output, signalOf } from '../run-process.ts';
import { Running } from '../running.ts';
import { proxyVariables } from '../network-bridge.ts';
import { removeContainer, startContainer, type Started } from './container.ts';
import { containerBody, workFolder } from './container-spec.ts';
import { EngineClient } from './engine-client.ts';
import { hostImage } from './host-image.ts';
import { launchBytes, waitingCommand } from './launch.ts';
import { ownLabels, reap } from './owner.ts';
import { runtimeNotes } from './runtime-notes.ts';
import { openProxyNetwork, type ProxyNetwork } from './proxy-container.ts';
import { StreamFrames } from './stream-frames.ts';
import { maxWaitMs, WarmPool } from './warm-pool.ts';

export interface DockerOptions {
  /** An image that the engine has; nothing is pulled. It needs `sh` and `cp` for programs with files. @defaultValue one made of this machine's busybox and Node */
  readonly image?: string;
  /** The socket of the engine. @defaultValue that of DOCKER_HOST, else /var/run/docker.sock */
  readonly socketPath?: string;
  /** Another runtime that the engine knows, such as `runsc`. */
  readonly runtime?: string;
  /**
   * Containers that wait for a job, 0 to 32: each is started before its job is known, runs that one and is removed. The image needs `sh`, and `dd` and `mkdir` for files.
   * @defaultValue 0
   */
  readonly warm?: number;
}

const maxWarm = 32;

/** Makes the driver. Nothing is asked of the engine until a job runs. */
export function docker(options: DockerOptions = {}): SandboxDriver {
  const { warm = 0 } = options;
  if (!Number.isInteger(warm) || warm < 0 || warm > maxWarm) {
    throw new AxleError(
      'configuration-invalid',
      `docker: warm must be a whole number from 0 to ${maxWarm}, and is ${warm}.`,
    );
  }
  const running = new Running();
  const engine = new EngineClient(options.socketPath ?? socketOfHost());
  const pool = warm === 0 ? undefined : new WarmPool(engine, warm);
  let image: Promise<string> | undefined;
  const imageName = (): Promise<string> => {
    image ??= options.image === undefined ? hostImage(engine) : Promise.resolve(options.image);
    return image;
  };
  const run = (job: SandboxJob, signal: AbortSignal, keepsWarm: boolean): Promise<SandboxResult> =>
    running.add(signal, (ended) =>
      runJob(job, ended, { engine, imageName, runtime: options.runtime, pool, keepsWarm }),
    );
  const driver: SandboxDriver = {
    id: 'docker',
    runs: 'command',
    startMs: warm === 0 ? 300 : 50,
    isBoundary: true,
    grantsNetwork: true,
    probe: async (probing = {}): Promise<Proof> => {
      let notes: readonly string[];
      try {
        notes = runtimeNotes(await engine.ask({ method: 'GET', path: '/version' }));
        await reap(engine);
      } catch (error) {
        return { kind: 'unusable', reason: messageOf(error) };
      }
      // Jobs like these do not come again: no container need wait for one.
      return proveByEscape({ ...driver, run: (job, signal) => run(job, signal, false) }, { ...probing, notes });
    },
    run: (job, signal) => run(job, signal, true),
    close: async () => {
      await running.close();
      await pool?.close();
    },
  };
  return driver;
}

function socketOfHost(): string {
  const host = process.env['DOCKER_HOST'] ?? '';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : '/var/run/docker.sock';
}

interface Engine {
  readonly engine: EngineClient;
  readonly imageName: () => Promise<string>;
  readonly runtime: string | undefined;
  /** Absent where no container waits. */
  readonly pool: WarmPool | undefined;
  /** True when a container is to wait for the next job of this kind. */
  readonly keepsWarm: boolean;
}

const searchPath = '/usr/local/bin:/usr/bin:/bin';

async function runJob(job: SandboxJob, signal: AbortSignal, host: Engine): Promise<SandboxResult> {
  if (job.code.kind !== 'command') return notStarted('it takes commands, and no source');
  const isReaching = job.network.length > 0;
  const own = { PATH: searchPath, HOME: workFolder, TMPDIR: '/tmp', ...(isReaching ? proxyVariables : {}) };
  const environment = jobEnvironment(job, own);
  if (environment.kind === 'missing') return notStarted(environment.reason);
  const { engine } = host;
  const { command } = job.code;
  const place: Place = { job, command, variables: environment.variables, own };
  const isGivenUp = (): boolean => signal.aborted;
  let network: ProxyNetwork | undefined;
  let begun: Begun | undefined;
  try {
    if (isReaching) network = await openProxyNetwork(engine, job);
    if (isGivenUp()) return notStarted('it was given up before it began');
    begun = await begin(host, { ...place, networkOf: network?.id });
    // One that waited has not been told yet what it is for.
    if (begun.isWaiting && isGivenUp()) return notStarted('it was given up before it began');
    return await watchContainer(engine, begun.container, { job, signal, stdin: begun.stdin });
  } catch (error) {
    return notStarted(messageOf(error));
  } finally {
    if (begun !== undefined) await removeContainer(engine, begun.container.id);
    await network?.close();
    await begun?.clear();
  }
}

interface Place {
  readonly job: SandboxJob;
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Those of the variables that are the same for every job. */
  readonly own: Readonly<Record<string, string>>;
  readonly networkOf?: string | undefined;
}

/** A container, and what it is to be sent. */
interface Begun {
  readonly container: Started;
  /** True when it becomes the job by what it is sent; false when it is the job already. */
  readonly isWaiting: boolean;
  readonly stdin: string | Buffer;
  clear(): Promise<void>;
}

/** One that waits where it may; a job with a network of its own, and one that takes too many words to tell, needs one made for it. */
async function begin(host: Engine, place: Place): Promise<Begun> {
  const { job, command, variables, own, networkOf } = place;
  const { pool } = host;
  const launch = pool === undefined || networkOf !== undefined ? undefined : launchBytes(command, variables, job);
  if (pool === undefined || launch === undefined) return beginAlone(host, place);
  const { limits, wallMs } = job;
  const livesMs = wallMs + maxWaitMs;
  const image = await host.imageName();
  const spec = { image, command: waitingCommand, variables: own, limits, filesFrom: undefined, runtime: host.runtime };
  const make = (): Promise<Started> =>
    startContainer(host.engine, containerBody({ ...spec, labels: ownLabels(livesMs) }), livesMs);
  const kind = JSON.stringify([image, limits, wallMs]);
  const container = (await pool.take(kind)) ?? (await make());
  // The next one is made while this one works.
  if (host.keepsWarm) pool.fill(kind, make);
  return { container, isWaiting: true, stdin: launch, clear: async () => {} };
}

async function beginAlone(host: Engine, { job, command, variables, networkOf }: Place): Promise<Begun> {
  const { limits, wallMs, stdin } = job;
  const image = await host.imageName();
  const folder = await filesFolder(job.files);
  const clear = async (): Promise<void> => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  };
  try {
    const filesFrom = folder === undefined ? undefined : join(folder, 'files');
    const spec = { image, command, variables, limits, filesFrom, runtime: host.runtime, networkOf };
    const body = containerBody({ ...spec, labels: ownLabels(wallMs) });
    return { container: await startContainer(host.engine, body, wallMs), isWaiting: false, stdin, clear };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** A folder that only this user can enter, with one inside that the user of the container can read. */
async function filesFolder(files: SandboxJob['files']): Promise<string | undefined> {
  if (Object.keys(files).length === 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'axle-job-'));
  const inner = join(folder, 'files');
  await mkdir(inner);
  await chmod(inner, 0o755);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(inner, path)), { recursive: true });
    await writeFile(join(inner, path), text, { mode: 0o644 });
  }
  return folder;
}

interface Watched {
  readonly job: SandboxJob;
  readonly signal: AbortSignal;
  readonly stdin: string | Buffer;
}

async function watchContainer(
  engine: EngineClient,
  { id, socket, head, ended: waited }: Started,
  { job, signal, stdin }: Watched,
): Promise<SandboxResult> {
  let ended: SandboxEnd | undefined;
  const end = (reason: SandboxEnd): void => {
    ended ??= reason;
    // When it has exited in the same moment there is nothing to kill; removing it ends whatever is left.
    void engine.ask({ method: 'POST', path: `/containers/${id}/kill` }).catch(() => undefined);
  };
  const output = new Output(job.limits.outputBytes, () => end({ kind: 'output-limit' }));
  const frames = new StreamFrames();
  const take = (chunk: Buffer): void => frames.push(chunk, (name, data) => output.push(name, data));
  const startedAt = performance.now();
  const read = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.once('end', () => resolve());
  });
  take(head);
  socket.on('data', take);
  const onAbort = (): void => end({ kind: 'killed', signal: 'SIGKILL' });
  const timer = setTimeout(() => end({ kind: 'timeout' }), job.wallMs);
  try {
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    socket.end(stdin);
    const code = await waited.catch(() => undefined);
    await Promise.race([read, delay(lagMs, undefined, { ref: false })]);
    // An engine that does not say how it ended leaves open what it did.
    ended ??= code === undefined ? { kind: 'killed', signal: 'SIGKILL' } : await endOf(engine, id, code);
    const usage = { wallMs: performance.now() - startedAt, outputBytes: output.sizeBytes };
    return { end: ended, stdout: output.text('stdout'), stderr: output.text('stderr'), usage };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  }
}

/** How long output may lag behind the exit, in milliseconds. */
const lagMs = 1_000;

async function endOf(engine: EngineClient, id: string, code: number): Promise<SandboxEnd> {
  if (code === 0) return { kind: 'ok' };
  const state: unknown = await engine.ask({ method: 'GET', path: `/containers/${id}/json` }).then(
    (inspected) => (isRecord(inspected) ? inspected['State'] : undefined),
    () => undefined,
  );
  if (isRecord(state) && state['OOMKilled'] === true) return { kind: 'memory' };
  const signalName = signalOf(code);
  if (signalName === 'SIGXCPU') return { kind: 'cpu' };
  return signalName === undefined ? { kind: 'exit', code } : { kind: 'killed', signal: signalName };
}
