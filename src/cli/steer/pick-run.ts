import type { Client, WorkflowHandle } from '@temporalio/client';
import { Option, type Command } from 'commander';
import type * as Messages from '../../../workflows/messages.js';
import { TidemarkError } from '../../base/errors.js';
import { loadContext } from '../context.js';

/** Options that select one of the running workflows. Without an option, exactly one workflow must be running. */
export interface PickOptions {
  run?: string;
  market?: string;
  date?: string;
  json?: boolean;
}

/** Adds the options that select a running workflow. */
export function addPickOptions(command: Command): Command {
  return command
    .addOption(new Option('--run <id>', 'workflow id, as `tidemark status` shows it'))
    .addOption(new Option('--market <name>', 'select the run of this market'))
    .addOption(new Option('--date <day>', 'select the run of this logical date'))
    .option('--json', 'print the result as JSON');
}

/**
 * Runs `work` with the one run that the options select, the workflow messages that it accepts, and the client.
 * @throws TidemarkError `InvalidInput` when no run or several runs match; the message lists the open runs
 */
export async function withRunning(
  command: Command,
  options: PickOptions,
  work: (run: WorkflowHandle, messages: typeof Messages, client: Client) => Promise<void>,
): Promise<void> {
  const { config } = await loadContext(command);
  const [{ connectTraced }, messages] = await Promise.all([
    import('../connect-traced.js'),
    import('../../../workflows/messages.js'),
  ]);
  const temporal = await connectTraced(config);
  try {
    await work(await pickRun(temporal.client, options), messages, temporal.client);
  } finally {
    await temporal.close();
  }
}

async function pickRun(client: Client, options: PickOptions): Promise<WorkflowHandle> {
  const [{ WorkflowType }, { DATE_ATTRIBUTE, MARKET_ATTRIBUTE }] = await Promise.all([
    import('../../../schemas/pipeline/run.js'),
    import('../../../workflows/search-attributes.js'),
  ]);
  const types = WorkflowType.options.map((type) => `"${type}"`).join(', ');
  const running: { workflowId: string; market: unknown; date: unknown }[] = [];
  for await (const { workflowId, typedSearchAttributes } of client.workflow.list({
    query: `ExecutionStatus = "Running" AND WorkflowType IN (${types})`,
  })) {
    const [market, date] = [MARKET_ATTRIBUTE, DATE_ATTRIBUTE].map((key) => typedSearchAttributes.get(key));
    running.push({ workflowId, market, date });
  }
  const meant = running.filter(
    ({ workflowId, market, date }) =>
      (options.run ?? workflowId) === workflowId &&
      (options.market ?? market) === market &&
      (options.date ?? date) === date,
  );
  if (meant.length === 1 && meant[0]) return client.workflow.getHandle(meant[0].workflowId);
  const ids = (meant.length > 1 ? meant : running).map(({ workflowId }) => workflowId).toSorted();
  if (ids.length === 0) {
    throw new TidemarkError('InvalidInput', 'No run is open.', { todo: '`tidemark runs` shows the ended runs.' });
  }
  throw new TidemarkError(
    'InvalidInput',
    meant.length > 1 ? `${meant.length} open runs match.` : 'No open run matches.',
    { todo: `Select a run with --run. Open runs: ${ids.join(', ')}.` },
  );
}
