import { TestWorkflowEnvironment } from '@temporalio/testing';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';

/** Starts a Temporal dev server for the test, with Tidemark's search attributes. */
export async function startTemporal(): Promise<TestWorkflowEnvironment> {
  const { path } = await ensureTemporalCli({ log: () => undefined });
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: ['--search-attribute', 'TidemarkMarket=Keyword', '--search-attribute', 'TidemarkDate=Keyword'],
    },
  });
}
