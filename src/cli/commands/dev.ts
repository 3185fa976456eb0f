import type { Axle } from '../../facade/axle.ts';
import type { AxleConfig } from '../../facade/define-config.ts';
import type { Observer } from '../../facade/options.ts';
import type { Store } from '../../journal/store.ts';
import { wrapStore } from '../../journal/wrap-store.ts';
import type { RunLogs } from '../../server/read/run-logs.ts';
import type { Command, Invocation, StorePlace } from '../command.ts';
import { notesOf } from '../drive.ts';
import type { ExitName } from '../exit-code.ts';
import { loadConfig } from '../load-config.ts';
import { type FreshModules, freshModules } from '../serve/fresh-modules.ts';
import { serveAxle, type ServedPlace } from '../serve/serve-axle.ts';
import { startTelemetry } from '../serve/telemetry.ts';
import { listenOptions } from '../serve/server-settings.ts';
import { watchFiles } from '../serve/watch-files.ts';
import { defaultStorePath, makeStore, openPlace } from '../store-place.ts';
import { tellError } from '../tell-error.ts';
import { codedOf } from '../../error/axle-error.ts';

export const devCommand: Command = {
  name: 'dev',
  about: 'serve like axle serve, and load configuration and tools anew whenever their files change',
  positionals: [],
  options: { ...listenOptions, open: { about: 'show the debugger in the browser' } },
  details:
    'What is in hand ends on the code that it began with (up to 5 s), then runs go on with the new one. A file that cannot be loaded leaves everything as it was. Packages are not loaded anew.',
  examples: ['axle dev', 'axle dev --open', 'axle dev --port 0 --json'],
  run: develop,
};

/** What in hand gets at the end: whoever develops does not want to wait for it. */
const drainMs = 2_000;

async function develop(invocation: Invocation): Promise<ExitName> {
  const { runLogs } = await import('../../server/read/run-logs.ts');
  const { suddenEnd, work } = invocation;
  const modules = freshModules();
  const project = new Project(invocation, modules);
  await project.load();
  const place: StorePlace = {
    ...invocation.place,
    config: async () => project.config,
    store: async () => invocation.text('store') ?? project.config.store ?? defaultStorePath,
  };
  const telemetry = await startTelemetry(invocation.terminal);
  await makeStore(place);
  const store = await openPlace(place, { role: 'auto', onFatal: suddenEnd.end });
  const logs = runLogs({ next: project.config.log ?? notesOf(invocation) });
  const open = (config: AxleConfig): Promise<Axle> =>
    openOn(work.watch(store), { config, logs, observers: telemetry.observers });
  try {
    return await serveAxle(invocation, {
      open: () => open(project.config),
      server: { logs, metrics: telemetry.metrics },
      follow: async (served) => project.follow(served, open),
      drainMs,
      opensBrowser: invocation.has('open'),
    });
  } finally {
    await store.close();
    await telemetry.close();
    modules.stop();
  }
}

/** The store outlives the Axles that are opened on it, one after another. */
async function openOn(
  store: Store,
  {
    config,
    logs,
    observers,
  }: { readonly config: AxleConfig; readonly logs: RunLogs; readonly observers: readonly Observer[] },
): Promise<Axle> {
  const { createAxle } = await import('../../facade/create-axle.ts');
  return createAxle({
    ...config,
    log: logs.log,
    observers: [...(config.observers ?? []), ...observers],
    store: wrapStore(store, { close: async () => {} }),
  });
}

/** The configuration as its files have it, and what happens when they change. */
class Project {
  readonly #invocation: Invocation;
  readonly #modules: FreshModules;
  #number = 0;
  #config: AxleConfig = {};

  constructor(invocation: Invocation, modules: FreshModules) {
    this.#invocation = invocation;
    this.#modules = modules;
  }

  get config(): AxleConfig {
    return this.#config;
  }

  /** @throws AxleError `configuration-invalid` */
  async load(): Promise<void> {
    const { configPath } = this.#invocation.place;
    // Says that there is none.
    if (configPath === undefined) await this.#invocation.place.config();
    this.#number += 1;
    this.#config = await loadConfig(configPath ?? '', this.#modules.searchOf(this.#number));
  }

  follow(served: ServedPlace, open: (config: AxleConfig) => Promise<Axle>): () => void {
    let reloading = Promise.resolve();
    let waiting = 0;
    const files = watchFiles(() => {
      waiting += 1;
      const turn = waiting;
      reloading = reloading.then(async () => {
        // Changes that came while another was taken in are one.
        if (turn === waiting) await this.#reload(served, open);
        files.follow(this.#files());
      });
    });
    files.follow(this.#files());
    return () => files.stop();
  }

  /** What was loaded last, whether it could be loaded or not. */
  #files(): ReadonlySet<string> {
    const { configPath = '' } = this.#invocation.place;
    return new Set([configPath, ...this.#modules.filesOf(this.#number)]);
  }

  async #reload(served: ServedPlace, open: (config: AxleConfig) => Promise<Axle>): Promise<void> {
    const { terminal } = this.#invocation;
    const beganMs = performance.now();
    const before = this.#config;
    try {
      await this.load();
    } catch (error) {
      this.#tell(error);
      return;
    }
    try {
      await served.exchange(async () => {
        try {
          return await open(this.#config);
        } catch (error) {
          this.#tell(error);
          this.#config = before;
          return open(before);
        }
      });
    } catch (error) {
      this.#invocation.suddenEnd.end(codedOf(error));
    }
    if (this.#config === before) return;
    const names = new Set(
      served
        .current()
        .tools.list()
        .map(({ name }) => name),
    ).size;
    terminal.note(`Loaded anew in ${Math.round(performance.now() - beganMs)} ms: ${names} tools.`);
  }

  #tell(error: unknown): void {
    tellError(codedOf(error), { ...this.#invocation.terminal, isJson: false });
    this.#invocation.terminal.note('Everything stays as it was until the files change again.');
  }
}
