import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['axle-source'] },
  ssr: { resolve: { conditions: ['axle-source', 'node', 'import', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
