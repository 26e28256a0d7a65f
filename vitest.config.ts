import { defineConfig } from 'vitest/config';

// Two projects, one after the other: `e2e` starts Temporal servers, sandboxes and workers, each file its own, and kills some of
// them. Both share at most two processes (two cores are what we count on).
const common = {
  environment: 'node',
  pool: 'forks',
  // Waits on real servers and files, never on a measured duration: generous, so that a slow machine is no failure.
  testTimeout: 60_000,
  hookTimeout: 120_000,
} as const;

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    projects: [
      {
        test: {
          ...common,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/chaos/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', 'test/chaos/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
