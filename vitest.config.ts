import { defineConfig } from 'vitest/config';
import { ProofsReporter } from './test/house/proofs-reporter.ts';

export default defineConfig({
  resolve: { conditions: ['axle-source'] },
  ssr: { resolve: { conditions: ['axle-source', 'node', 'import', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    reporters: ['default', new ProofsReporter()],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
