import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ProofsReporter } from './test/house/proofs-reporter.ts';

/** Where a machine-readable report is wanted, beside what people read. */
const report = process.env['AXLE_TEST_REPORT'];
const machineReport: ['json', { outputFile: string }][] =
  report === undefined ? [] : [['json', { outputFile: report }]];

export default defineConfig({
  resolve: { conditions: ['axle-source'] },
  ssr: { resolve: { conditions: ['axle-source', 'node', 'import', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    reporters: ['default', new ProofsReporter(), ...machineReport],
    setupFiles: ['test/house/leaks.ts'],
    // One for each core: much of the time goes into waiting for other processes. A time limit only ends what hangs; machines differ too much for more.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The processes that tests start need not compile the same code hundreds of times.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('.scratch/compiled', import.meta.url)) },
    restoreMocks: true,
    unstubEnvs: true,
  },
});
