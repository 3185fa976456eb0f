/**
 * What a container is created with: as little as it can run on.
 *
 * H1 No network but that of a bridge, no capability, no new privileges, a root file system that cannot be written, a user that owns nothing, and no socket of the engine.
 * H2 Memory without swap, processes, files and processor have limits; what can be written is memory with a size.
 * H3 Labels say whose it is and until when it may live, so that any other Axle can clear it away.
 */
import type { SandboxLimits } from '../../contract/program.ts';

export interface ContainerSpec {
  readonly image: string;
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  readonly labels: Readonly<Record<string, string>>;
  /** A folder of the host whose content is copied into the container's own before the command begins. */
  readonly filesFrom: string | undefined;
  /** Another runtime, such as `runsc`. */
  readonly runtime: string | undefined;
  /** The container whose network it is in, which has none but a bridge to a proxy. */
  readonly networkOf?: string | undefined;
  /** A socket of the host, as `host:inside`. */
  readonly socket?: string | undefined;
}

export const workFolder = '/work';
const filesFolder = '/axle-files';
const userId = '65532:65532';
/** The process that waits for orphans, and the shell that copies files. */
const helpers = 2;

export function containerBody({
  image,
  command,
  variables,
  limits,
  labels,
  filesFrom,
  runtime,
  networkOf,
  socket,
}: ContainerSpec): object {
  const { cpuMs, memoryBytes, maxProcesses, diskBytes } = limits;
  const seconds = Math.ceil(cpuMs / 1_000);
  const copied = ['sh', '-c', `cp -R ${filesFolder}/. ${workFolder}/ && exec "$@"`, 'sh', ...command];
  return {
    Image: image,
    Entrypoint: [],
    Cmd: filesFrom === undefined ? command : copied,
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    User: userId,
    WorkingDir: workFolder,
    // One that shares a network has its name too.
    ...(networkOf === undefined ? { Hostname: 'sandbox', NetworkDisabled: true } : {}),
    Labels: labels,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    StdinOnce: true,
    HostConfig: {
      NetworkMode: networkOf === undefined ? 'none' : `container:${networkOf}`,
      IpcMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: maxProcesses + helpers,
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      NanoCpus: 1_000_000_000,
      Init: true,
      LogConfig: { Type: 'none' },
      Tmpfs: {
        [workFolder]: `rw,exec,nosuid,nodev,size=${diskBytes},mode=1777`,
        '/tmp': `rw,noexec,nosuid,nodev,size=${diskBytes},mode=1777`,
      },
      Ulimits: [
        { Name: 'nofile', Soft: 256, Hard: 256 },
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'fsize', Soft: diskBytes, Hard: diskBytes },
        { Name: 'cpu', Soft: seconds, Hard: seconds + 1 },
      ],
      Binds: [
        ...(filesFrom === undefined ? [] : [`${filesFrom}:${filesFolder}:ro`]),
        ...(socket === undefined ? [] : [socket]),
      ],
      ...(runtime === undefined ? {} : { Runtime: runtime }),
    },
  };
}
