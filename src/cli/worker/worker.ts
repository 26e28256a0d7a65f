import { Option, type Command } from 'commander';
import { isCrawling, type Role } from '../../temporal/worker/worker-parts.js';
import { examples, loadContext } from '../context.js';
import { interruptSignalSaying } from '../terminal/interrupt.js';
import { metricsAddress, metricsPortOption, type MetricsOptions } from '../terminal/metrics-options.js';
import { say } from '../terminal/print.js';

/** Start of the line that `tidemark worker` prints when it polls; `up` and `demo` wait for this line. */
export const WORKER_READY = 'worker ready';

/** Finds the address of the worker's metrics in its ready line; null if they are off. */
export function readMetricsUrl(readyLine: string): string | null {
  return /; metrics at (\S+)$/.exec(readyLine)?.[1] ?? null;
}

/** `tidemark worker`: serves the crawl queue, the warehouse queue, or both. */
export function registerWorker(program: Command): void {
  program
    .command('worker')
    .summary('run a worker until SIGTERM')
    .description('run a worker for the Temporal server at TEMPORAL_ADDRESS; stops gracefully on SIGTERM')
    .addOption(
      new Option('--queue <queue>', 'task queue to serve').choices(['crawl', 'warehouse', 'all']).default('all'),
    )
    .addOption(metricsPortOption())
    .addHelpText(
      'after',
      examples(
        'tidemark worker',
        'TEMPORAL_ADDRESS=temporal:7233 tidemark worker --queue crawl',
        'tidemark worker --metrics-port 9464',
      ),
    )
    .action(async (options: MetricsOptions & { queue: Role }, command: Command) => {
      const { config, clock } = await loadContext(command);
      // Check the API key before loading the worker's heavy modules, so that a missing API key fails at once.
      const { findApiKey } = await import('../../config/stored-key.js');
      if (isCrawling(options.queue)) findApiKey(config);
      const [{ runWorker }, { createLog }] = await Promise.all([
        import('../../temporal/worker/worker.js'),
        import('../../config/log.js'),
      ]);
      const log = createLog('tidemark', process.env['LOG_LEVEL'] ?? 'info');
      const stop = interruptSignalSaying('Stopping. Running activities land their answers; the runs continue later.');
      await runWorker({
        config,
        role: options.queue,
        clock,
        log,
        stop,
        metrics: metricsAddress(config, options.metricsPort ?? config.metrics?.port),
        onReady: ({ queues, address, namespace, metrics }) =>
          say(
            `${WORKER_READY}: ${queues.join(', ')} on ${address}, namespace ${namespace}${metrics === null ? '' : `; metrics at ${metrics}`}`,
          ),
      });
    });
}
