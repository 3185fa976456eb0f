/** Jobs on a few threads: each job is a module started with data, which answers once or bit by bit. */
import { Worker } from 'node:worker_threads';

export interface Job<T> {
  readonly module: URL;
  readonly data: object;
  readonly done: (answer: T) => void;
}

/** Schedules leave much behind that is soon of no use: with more room for what is young, less of it is looked through. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 };

/** Takes jobs from `next` until there are none, on so many threads at a time. @throws what a thread throws */
export async function runJobs(threads: number, next: () => Job<never> | undefined): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let job = next(); job !== undefined; job = next()) await runJob(job);
  };
  await Promise.all(Array.from({ length: threads }, lane));
}

function runJob<T>({ module, data, done }: Job<T>): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, { workerData: data, resourceLimits });
    worker.on('message', done);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`A thread of the simulation ended with ${code}.`));
    });
  });
}
