/** Axle whose runs are followed: their spans are sent to a collector on this machine while they go on; and, for `openFollowedSubject`, metrics are counted as well. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Observer } from '../src/axle.ts';
import { createMetrics } from '../src/metrics.ts';
import { createTraces } from '../src/otel.ts';
import { openAxle } from './axle-subject.ts';
import type { SubjectOpener } from './subject.ts';

/** Traces alone. */
export const openTracedSubject: SubjectOpener = openWith([]);

/** Metrics and traces, as it is operated. */
export const openFollowedSubject: SubjectOpener = openWith([createMetrics]);

function openWith(others: readonly (() => Observer)[]): SubjectOpener {
  return async (spec, load, path) => {
    const collector = await startCollector();
    const traces = createTraces({ url: `http://127.0.0.1:${collector.port}/v1/traces`, serviceName: 'bench' });
    const subject = await openAxle({ spec, load, path, observers: [...others.map((create) => create()), traces] });
    return {
      run: subject.run,
      // What was not sent cost nothing, so it has to be told.
      counters: () => ({ ...subject.counters(), sent: traces.sent, dropped: traces.dropped }),
      // A stretch ends when what it has to send is sent.
      settle: () => traces.flush(),
      close: async () => {
        await subject.close();
        await traces.close();
        collector.stop();
      },
    };
  };
}

function startCollector(): Promise<{ readonly port: number; readonly stop: () => void }> {
  const child = fork(fileURLToPath(new URL('./loopback-collector.ts', import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (port) => resolve({ port: Number(port), stop: () => child.disconnect() }));
  });
}
