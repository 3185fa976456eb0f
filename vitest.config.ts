import process from 'node:process';
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
    testTimeout: 20_000,
    hookTimeout: 20_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
