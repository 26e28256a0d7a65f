import { defineConfig } from 'vitest/config';

// Fast tests only: no Temporal server, no compiled code. The runner passes them in MUTATE_TESTS.
export default defineConfig({
  test: {
    environment: 'node',
    include: (process.env['MUTATE_TESTS'] ?? 'test/src/crawl/search/plan')
      .split(',')
      .map((at) => (at.endsWith('.ts') ? at : `${at}/**/*.test.ts`)),
    // Takes longer than the limit of setup.ts. A property interrupted there leaves DuckDB working when the process ends.
    exclude: ['test/src/warehouse/models/order-independence.test.ts'],
    setupFiles: 'test/mutate/setup.ts',
    // A slow machine must kill no mutant. Stryker ends those that hang.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
