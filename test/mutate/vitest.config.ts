import { defineConfig } from 'vitest/config';

// Cheap tests only: no Temporal server, no compiled code. The runner names them in MUTATE_TESTS.
export default defineConfig({
  test: {
    environment: 'node',
    include: (process.env['MUTATE_TESTS'] ?? 'test/src/planner')
      .split(',')
      .map((at) => (at.endsWith('.ts') ? at : `${at}/**/*.test.ts`)),
    setupFiles: 'test/mutate/setup.ts',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
