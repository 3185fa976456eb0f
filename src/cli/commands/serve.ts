import { parseDurationMs } from '../../contract/duration.ts';
import type { Axle } from '../../facade/axle.ts';
import { codedOf } from '../../error/axle-error.ts';
import type { Command, Invocation } from '../command.ts';
import { notesOf } from '../drive.ts';
import type { ExitName } from '../exit-code.ts';
import { serveAxle, type ServedPlace } from '../serve/serve-axle.ts';
import { startTelemetry } from '../serve/telemetry.ts';
import { listenOptions, tokenOptions } from '../serve/server-settings.ts';
import { makeStore, openPlace, whenUndriven } from '../store-place.ts';

export const serveCommand: Command = {
  name: 'serve',
  about: 'drive the runs of the store, and serve them over HTTP with the debugger',
  positionals: [],
  options: {
    ...listenOptions,
    ...tokenOptions,
    'read-only': { about: 'refuse every request that changes something' },
    drain: { value: 'DURATION', about: 'how long what is in hand may take at the end (default 25s)' },
  },
  details:
    'Ends with 0 on SIGTERM or Ctrl-C, once what was in hand has ended; a second one ends it at once, with 130. Where another process drives the store, this one reads, starts and answers, and takes over when that process ends. Metrics are at /metrics; OTEL_EXPORTER_OTLP_ENDPOINT sends them and traces to a collector.',
  examples: ['axle serve', 'axle serve --port 8080 --read-only', 'axle serve --host 0.0.0.0 --token'],
  run: serve,
};

async function serve(invocation: Invocation): Promise<ExitName> {
  const { runLogs } = await import('../../server/read/run-logs.ts');
  const { place, work, suddenEnd, terminal } = invocation;
  const config = await place.config();
  const logs = runLogs({ next: config.log ?? notesOf(invocation) });
  const telemetry = await startTelemetry(terminal);
  await makeStore(place);
  const open = async (): Promise<Axle> => {
    const { createAxle } = await import('../../facade/create-axle.ts');
    const store = await openPlace(place, { role: 'auto', onFatal: suddenEnd.end });
    return createAxle({
      ...config,
      log: logs.log,
      observers: [...(config.observers ?? []), ...telemetry.observers],
      store: work.watch(store),
    });
  };
  const ended = await serveAxle(invocation, {
    open,
    server: { logs, metrics: telemetry.metrics, readOnly: invocation.has('read-only') },
    follow: async (served) => takeOver(invocation, served, open),
    drainMs: drainMsOf(invocation),
    opensBrowser: false,
  });
  await telemetry.close();
  return ended;
}

/** A client becomes the driver when there is none any more. */
async function takeOver(
  { place, terminal, suddenEnd }: Invocation,
  served: ServedPlace,
  open: () => Promise<Axle>,
): Promise<() => void> {
  if (served.current().isDriver) return () => {};
  let stop = (): void => {};
  const onGone = async (): Promise<void> => {
    try {
      await served.exchange(open);
    } catch (error) {
      // Nothing is served any more: whoever started this process starts it again.
      suddenEnd.end(codedOf(error));
    }
    if (!served.current().isDriver) stop = await whenUndriven(place, () => void onGone());
    else terminal.note('The process that drove this store has ended; this one drives it now.');
  };
  stop = await whenUndriven(place, () => void onGone());
  return () => stop();
}

function drainMsOf(invocation: Invocation): number {
  const given = invocation.text('drain') ?? '25s';
  const drainMs = parseDurationMs(given);
  if (drainMs === undefined) throw invocation.usage(`--drain is a duration such as 25s, and not ${given}.`);
  return drainMs;
}
