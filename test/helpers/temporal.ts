import { TestWorkflowEnvironment } from '@temporalio/testing';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';

/** A real Temporal dev server of the test's own, with Tidemark's search attributes registered. */
export async function startTemporal(): Promise<TestWorkflowEnvironment> {
  const { path } = await ensureTemporalCli({ log: () => undefined });
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: ['--search-attribute', 'TidemarkMarket=Keyword', '--search-attribute', 'TidemarkDate=Keyword'],
    },
  });
}
