/** The network of a job that may reach some places: that of a second container, which has nothing but a bridge to the proxy of the job. So the job's image needs no part in it. */
import { openFilteringProxy } from '../filtering-proxy.ts';
import { bridgeAlone, bridgeIsReady, bridgeMemoryBytes, bridgeThreads, proxySocket } from '../network-bridge.ts';
import type { SandboxJob } from '../../execute/sandbox/sandbox-driver.ts';
import { removeContainer, startContainer } from './container.ts';
import { containerBody } from './container-spec.ts';
import type { EngineClient } from './engine-client.ts';
import { hostImage } from './host-image.ts';
import { ownLabels } from './owner.ts';

export interface ProxyNetwork {
  /** The container whose network the job joins. */
  readonly id: string;
  close(): Promise<void>;
}

/** Opens it for one job. @throws EngineFault, or an error that says why there is none */
export async function openProxyNetwork(engine: EngineClient, job: SandboxJob): Promise<ProxyNetwork> {
  const proxy = await openFilteringProxy(job.network);
  try {
    const body = containerBody({
      image: await hostImage(engine),
      command: bridgeAlone('/usr/bin/node'),
      variables: {},
      // It lives as long as the job and forwards what that may say.
      limits: {
        ...job.limits,
        cpuMs: Math.max(job.limits.cpuMs, job.wallMs),
        memoryBytes: bridgeMemoryBytes,
        maxProcesses: bridgeThreads,
      },
      labels: ownLabels(job.wallMs),
      filesFrom: undefined,
      runtime: undefined,
      socket: `${proxy.socketPath}:${proxySocket}`,
    });
    const { id, socket, head, ended } = await startContainer(engine, body, job.wallMs);
    const close = async (): Promise<void> => {
      socket.destroy();
      await removeContainer(engine, id);
      await proxy.close();
    };
    const isReady = new Promise<void>((resolve, reject) => {
      let said = head.toString('latin1');
      socket.on('data', (chunk: Buffer) => {
        said = `${said}${chunk.toString('latin1')}`.slice(-1_000);
        if (said.includes(bridgeIsReady)) resolve();
      });
      ended.then(() => reject(new Error(`the bridge to the network did not start: ${said.trim()}`)), reject);
    });
    await isReady.catch(async (error: unknown) => {
      await close();
      throw error;
    });
    return { id, close };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}
