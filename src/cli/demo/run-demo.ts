import type { RunResult } from '../../../schemas/pipeline/run.js';
import { createClock, dayIn, type Clock } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';
import { logsDir, publishedFile, publishedLake } from '../../store/data-folder.js';
import { TidemarkError } from '../../base/errors.js';
import { formatCount, formatDuration } from '../../../schemas/format.js';
import { INTERRUPTED, interruptSignalSaying, untilAborted } from '../terminal/interrupt.js';
import { startLocalStack, type LocalStack } from '../local/local-stack.js';
import { connectTraced } from '../connect-traced.js';
import { otherFolder } from '../status/other-folder.js';
import { commandLine, rememberCall } from '../../base/text/pasteable.js';
import { colorsFor, say, tell } from '../terminal/print.js';
import { openPublished } from '../../warehouse/builds/published.js';
import { renderResult } from '../runs/render-result.js';
import { followToEnd } from '../runs/run-and-follow.js';
import { writeReport } from '../report.js';
import { showPath } from '../terminal/show-path.js';
import { snapshotRequest } from '../runs/snapshot.js';
import { openBeside } from '../explorer/open-explorer.js';
import type { Explorer } from '../../serve/explorer/explorer.js';
import { sayTable } from '../terminal/say-table.js';
import { tendersRequest } from '../runs/tenders.js';
import { ANALYST_QUERIES } from './analyst-queries.js';
import { demoConfig } from './demo-config.js';
import { sandboxArguments } from './sandbox-arguments.js';

/** Command-line options of `tidemark demo`. */
export interface DemoOptions {
  once?: boolean;
  companies: number;
  tenders: number;
  metricsPort?: number;
}

/** Runs the demo. In a terminal, and without `--once`, keeps everything running until Ctrl-C. */
export async function runDemo(options: DemoOptions, configOption: string | undefined): Promise<void> {
  const startedAt = Date.now();
  const { config, note } = demoConfig(configOption);
  const clock = createClock();
  if (note !== null) {
    tell(note);
    // The configuration names another data folder than the demo's.
    rememberCall({ dataDir: showPath(config.dataDir) });
  }
  const interrupted = interruptSignalSaying(
    'Stopping. Landed data is kept. The next `npm run demo` continues with it.',
  );
  tell('Starting Temporal, the sandbox API and a worker …');
  const starting = startLocalStack({
    config,
    ports: { temporal: 7233, ui: 8233, sandbox: 4010, metrics: options.metricsPort },
    sandbox: await sandboxArguments(config.dataDir, options, dayIn('UTC', clock.now())),
  });
  const stack = await Promise.race([starting, untilAborted(interrupted)]);
  if (stack === null) {
    process.exitCode = INTERRUPTED;
    return;
  }
  let explorer: Explorer | null = null;
  try {
    describeStack(stack);
    const work = crawl(config, clock, interrupted);
    const results = await Promise.race([work, stack.died]);
    if (results === null) {
      process.exitCode = INTERRUPTED;
      return;
    }
    await showAnswers(config);
    const report = await writeReport({ dataDir: config.dataDir, clock });
    const tookMs = Date.now() - startedAt;
    const stays = !options.once && process.stdout.isTTY;
    if (stays) explorer = await openBeside({ config, clock });
    summarise({ config, stack: stays ? stack : null, explorer, report, results, tookMs });
    if (!stays) return;
    say('\nTemporal, the sandbox, the worker and the explorer keep running. Ctrl-C stops them; the data is kept.');
    await Promise.race([untilAborted(interrupted), stack.died]);
  } finally {
    await explorer?.close();
    await stack.stop();
  }
}

function describeStack({ temporal, sandbox, metrics }: LocalStack): void {
  const paint = colorsFor(process.stderr);
  tell(`  Temporal UI  ${paint.cyan(temporal.ui ?? `(see your own Temporal server at ${temporal.address})`)}`);
  if (sandbox) tell(`  Sandbox API  ${paint.cyan(sandbox.url)}`);
  if (metrics) tell(`  Metrics      ${paint.cyan(metrics)}`);
  tell('');
}

/** Crawls the tenders, then the first market; null when interrupted. */
async function crawl(config: Config, clock: Clock, interrupted: AbortSignal): Promise<RunResult[] | null> {
  const market = config.markets[0];
  if (!market) {
    throw new TidemarkError('InvalidConfig', `${config.file} declares no market.`, {
      todo: 'Add a market under `markets`; tidemark.example.yaml shows how.',
    });
  }
  const requests = [
    await tendersRequest(dayIn(config.tenders?.schedule?.timezone ?? 'UTC', clock.now())),
    await snapshotRequest(market, dayIn(market.schedule?.timezone ?? 'UTC', clock.now())),
  ];
  const temporal = await connectTraced(config);
  try {
    const results: RunResult[] = [];
    for (const request of requests) {
      const result = await followToEnd(temporal, request, { json: false, interrupted, dataDir: config.dataDir });
      if (result === null) return null;
      const other = otherFolder(result.folder, config.dataDir);
      if (other !== null)
        throw new TidemarkError('OtherDataFolder', other, {
          todo: 'The demo uses the same Temporal server as that worker. Unset TEMPORAL_ADDRESS to give the demo its own server, or set TEMPORAL_NAMESPACE to another namespace.',
        });
      results.push(result);
      tell(`${renderResult(request.workflowId, result, config.dataDir)}\n`);
    }
    return results;
  } finally {
    await temporal.close();
  }
}

async function showAnswers(config: Config): Promise<void> {
  const paint = colorsFor(process.stdout);
  const published = await openPublished(config.dataDir);
  try {
    for (const { title, sql } of ANALYST_QUERIES) {
      say(paint.bold(title));
      say(paint.dim(sql));
      sayTable(await published.query(sql), { maxCell: 44 });
      say();
    }
  } finally {
    published.close();
  }
}

interface Summary {
  config: Config;
  /** Null if its processes end with the demo: their addresses are then closed. */
  stack: LocalStack | null;
  /** Null if it does not run. */
  explorer: Explorer | null;
  /** Path of the report. */
  report: string;
  results: readonly RunResult[];
  tookMs: number;
}

function summarise({ config, stack, explorer, report, results, tookMs }: Summary): void {
  const paint = colorsFor(process.stdout);
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  const file = showPath(publishedFile(config.dataDir));
  say(paint.bold(`Done in ${formatDuration(tookMs)}, ${formatCount(requests)} requests.`));
  say(`  Warehouse     ${file}  (open it read-only with any DuckDB 1.5 client)`);
  say(`  Parquet files ${showPath(publishedLake(config.dataDir))}`);
  const query = commandLine('npx tidemark sql "SELECT * FROM marts.companies LIMIT 5"');
  say(`  Query it      ${query}`);
  say(
    `  Explore it    ${explorer === null ? `${commandLine('npx tidemark ui')}  (` : ''}companies, tenders, runs and SQL in a browser${explorer === null ? ')' : ':'}`,
  );
  // On a separate line, the address stays whole in a narrow terminal.
  if (explorer !== null) say(`    ${explorer.address}`);
  say(`  Report        ${showPath(report)}  (one HTML file: markets, runs, coverage, data dictionary)`);
  if (stack?.temporal.ui) say(`  Temporal UI   ${stack.temporal.ui}`);
  if (stack?.sandbox) say(`  Sandbox API   ${stack.sandbox.url}   API key ${stack.sandbox.key}`);
  if (stack?.metrics) say(`  Metrics       ${stack.metrics}`);
  say(`  Logs          ${showPath(logsDir(config.dataDir))}`);
}
