import { Option, type Command } from 'commander';
import { TidemarkError } from '../../base/errors.js';
import { formatCount } from '../../../schemas/format.js';
import { examples, loadContext, type CliContext } from '../context.js';
import { metricsPortOption } from '../terminal/metrics-options.js';
import { parseCount, portOption } from '../terminal/port-options.js';
import { FAILED } from '../terminal/print-error.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';
import { addRunOptions, followOptions, type RunOptions } from '../runs/run-options.js';
import { sayTable } from '../terminal/say-table.js';
import { printQuery, withPublished } from '../with-published.js';
import type { ListenOptions } from './listen.js';
import { planRequests, type WatchPlan } from './plan.js';

/** `tidemark watch …`: manages the companies that the API watches, and shows and fetches their events. */
export function registerWatch(program: Command): void {
  const watch = program
    .command('watch')
    .summary('watch companies; list and fetch their events')
    .description('manage the watched companies that tidemark.yaml declares; list and fetch their events')
    .addHelpText('after', examples('tidemark watch plan', 'tidemark watch apply', 'tidemark watch sync'));

  watch
    .command('plan')
    .description('show what `watch apply` would change; does not change anything')
    .option('--json', 'print the plan as JSON')
    .addHelpText('after', examples('tidemark watch plan'))
    .action(async (options: { json?: boolean }, command: Command) => {
      await withApi(command, async (context, api) => {
        const plan = await makePlan(context, api);
        if (options.json) sayJson(plan);
        else say(describePlan(plan));
      });
    });

  watch
    .command('apply')
    .summary('start, change and stop watches as tidemark.yaml declares')
    .description('start, change and stop watches as tidemark.yaml declares; register the callback')
    .option('--allow-empty', 'allow an empty result of watch.select, which stops every watch')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark watch apply'))
    .action(async (options: { allowEmpty?: boolean; json?: boolean }, command: Command) => {
      await withApi(command, async (context, api) => applyWatches(context, api, options));
    });

  watch
    .command('list')
    .description('list the companies that the API watches now')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark watch list'))
    .action(async (options: { json?: boolean }, command: Command) => {
      await withApi(command, async (_context, api) => {
        const { readWatches } = await import('./read-watches.js');
        const watches = await api.call(readWatches);
        if (options.json) return sayJson(watches);
        if (watches.length === 0) return say('The API watches no company.');
        const columns = ['id', 'name', 'country', 'since', 'fields'] as const;
        sayTable({ columns, rows: watches.map((one) => columns.map((column) => one[column])) });
      });
    });

  watch
    .command('events')
    .description('list the events in the published warehouse, newest first')
    .option('--company <id>', 'only events of this company')
    .addOption(new Option('--limit <events>', 'number of events to show').argParser(parseCount).default(50))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark watch events --company 1234 --limit 10'))
    .action(async (options: { company?: string; limit: number; json?: boolean }, command: Command) => {
      await withPublished(command, async (published) =>
        printQuery(published, EVENTS, {
          json: options.json ?? false,
          empty: 'The published warehouse has no event yet. `tidemark watch sync` fetches events.',
          params: { company: options.company ?? null, limit: options.limit },
        }),
      );
    });

  registerListen(watch);

  const sync = watch
    .command('sync')
    .description('fetch the events since the last sync and follow the run')
    .option('--date <day>', 'logical date, YYYY-MM-DD; default today');
  addRunOptions(sync)
    .addHelpText('after', examples('tidemark watch sync'))
    .action(async (options: RunOptions & { date?: string }, command: Command) => {
      const context = await loadContext(command);
      const [{ runDate }, { runAndFollow }, { watchId }] = await Promise.all([
        import('../terminal/dates.js'),
        import('../runs/run-and-follow.js'),
        import('../../../workflows/ids.js'),
      ]);
      const date = runDate(options.date, context.config.watch?.schedule?.timezone ?? 'UTC', context.clock);
      await runAndFollow(
        context,
        {
          type: 'watchSync',
          workflowId: watchId(date),
          input: { date },
          market: null,
          date,
          summary: `Watch events, ${date}`,
          details:
            'Reads the events of every watched company since the last sync, loads, builds the models and publishes.',
        },
        followOptions(options, `tidemark watch sync --date ${date}`),
      );
    });
}

function registerListen(watch: Command): void {
  watch
    .command('listen')
    .description('receive and land webhook deliveries, until SIGTERM or Ctrl-C')
    .addOption(portOption('--port <port>', 'the receiver', 4020))
    .option('--host <address>', 'address to listen on; put a proxy with TLS in front', '127.0.0.1')
    .option('--path <path>', 'URL path to which the API sends events', '/events')
    .addOption(metricsPortOption())
    .addHelpText('after', examples('tidemark watch listen', 'tidemark watch listen --host 0.0.0.0 --port 4020'))
    .action(async (options: ListenOptions, command: Command) => {
      const { listen } = await import('./listen.js');
      await listen(await loadContext(command), options);
    });
}

const EVENTS = `
SELECT e.occurred_at, e.company_id, c.name, e.field, e.status, e.old_value, e.new_value, e.message_text
FROM core.watch_events AS e
LEFT JOIN core.companies AS c USING (company_id)
WHERE $company IS NULL OR e.company_id = CAST($company AS BIGINT)
ORDER BY e.occurred_at DESC
LIMIT $limit`;

type Api = Awaited<ReturnType<typeof openCommandApi>>;

async function openCommandApi({ config, clock }: CliContext) {
  const { openApi } = await import('../api.js');
  return openApi(config, clock);
}

async function withApi(command: Command, work: (context: CliContext, api: Api) => Promise<void>): Promise<void> {
  const context = await loadContext(command);
  const api = await openCommandApi(context);
  try {
    await work(context, api);
  } finally {
    await api.close();
  }
}

async function makePlan({ config }: CliContext, api: Api): Promise<WatchPlan> {
  const [{ declaredCompanies, readMissingFields, readWatches }, { planWatches }] = await Promise.all([
    import('./read-watches.js'),
    import('./plan.js'),
  ]);
  const declared = await declaredCompanies(config);
  const fields = config.watch?.fields;
  const wanted = new Set(declared);
  const watched = await api.call(async (client) => {
    const all = await readWatches(client);
    if (fields === undefined) return all;
    // Read no fields of watches that will stop.
    const stay = await readMissingFields(
      client,
      all.filter(({ id }) => wanted.has(id)),
    );
    return [...stay, ...all.filter(({ id }) => !wanted.has(id))];
  });
  return planWatches(new Map(watched.map((one) => [one.id, one.fields])), declared, fields);
}

async function applyWatches(
  context: CliContext,
  api: Api,
  options: { allowEmpty?: boolean; json?: boolean },
): Promise<void> {
  const { config, data } = context;
  const plan = await makePlan(context, api);
  const keeps = plan.start.length + plan.change.length + plan.unchanged;
  if (keeps === 0 && plan.stop.length > 0 && !options.allowEmpty) {
    throw new TidemarkError(
      'Internal',
      `watch.select returns no company, so \`watch apply\` would stop all ${formatCount(plan.stop.length)} watches.`,
      {
        todo: 'Correct the query, or confirm with --allow-empty.',
      },
    );
  }
  const { applyCallback, applyPlan } = await import('./apply-plan.js');
  const total = plan.start.length + plan.change.length + plan.stop.length;
  const result = await api.call(async (client) =>
    applyPlan(client, plan, config.watch?.fields, (done) => {
      if (!options.json && done % 500 === 0) tell(`${formatCount(done)} of ${formatCount(total)}`);
    }),
  );
  const callback = config.watch?.callback;
  const registered =
    callback === undefined ? null : await api.call(async (client) => applyCallback(client, data, callback));
  if (result.failed.length > 0) process.exitCode = FAILED;
  if (options.json) return sayJson({ ...plan, ...result, callback: registered });
  say(
    `started ${plan.start.length}, changed ${plan.change.length}, stopped ${plan.stop.length}, unchanged ${plan.unchanged}, failed ${result.failed.length}`,
  );
  for (const { id, message } of result.failed.slice(0, 10)) say(`  ${id}: ${message}`);
  if (registered) {
    const secret = registered.secretFile === null ? '' : `, its secret is in ${showPath(registered.secretFile)}`;
    say(`callback ${registered.changed ? 'registered' : 'unchanged'}: ${callback ?? ''}${secret}`);
  }
}

function describePlan(plan: WatchPlan): string {
  const few = (ids: readonly string[]): string =>
    ids.length === 0 ? '' : `  ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', …' : ''}`;
  return [
    `start      ${formatCount(plan.start.length)}${few(plan.start)}`,
    `change     ${formatCount(plan.change.length)}${few(plan.change.map(({ id }) => id))}`,
    `stop       ${formatCount(plan.stop.length)}${few(plan.stop)}`,
    `unchanged  ${formatCount(plan.unchanged)}`,
    `${formatCount(planRequests(plan))} requests.${planRequests(plan) > 0 ? ' `tidemark watch apply` sends them.' : ''}`,
  ].join('\n');
}
