import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DEV_SERVER_ATTRIBUTES } from '../../src/temporal/search-attributes.js';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';

/** Starts a Temporal dev server for the test, with Tidemark's search attributes and with these arguments. */
export async function startTemporal(extraArgs: readonly string[] = []): Promise<TestWorkflowEnvironment> {
  const { path } = await ensureTemporalCli({ log: () => undefined });
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: [...DEV_SERVER_ATTRIBUTES, ...extraArgs],
    },
  });
}
