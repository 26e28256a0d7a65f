import type { Command } from 'commander';
import { logFile } from '../core/data-folder.js';
import { examples, loadContext } from '../terminal/context.js';
import { interruptSignalSaying, untilAborted } from '../terminal/interrupt.js';
import { metricsPortOption, type MetricsOptions } from '../terminal/metrics-options.js';
import { portOption, type PortOptions } from '../terminal/port-options.js';
import { say } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';
import type { Explorer } from '../ui/explorer.js';

/** `tidemark up`: runs the local set-up in the foreground. */
export function registerUp(program: Command): void {
  program
    .command('up')
    .summary('run Temporal and a worker until Ctrl-C')
    .description(
      'run a Temporal dev server, a worker, the explorer and (with --sandbox) the sandbox until Ctrl-C; stopping loses no data',
    )
    .option('--sandbox', 'also start the sandbox API and crawl it instead of api.baseUrl')
    .addOption(portOption('--port <port>', 'Temporal', 7233))
    .addOption(portOption('--ui-port <port>', 'the Temporal UI', 8233))
    .addOption(portOption('--sandbox-port <port>', 'the sandbox', 4010))
    .addOption(metricsPortOption())
    .addHelpText('after', examples('tidemark up --sandbox', 'TIDEMARK_API_KEY=… tidemark up'))
    .action(async (options: PortOptions & MetricsOptions & { sandbox?: boolean }, command: Command) => {
      const context = await loadContext(command);
      const { config } = context;
      const [{ findApiKey }, { startLocalStack }, { openBeside }] = await Promise.all([
        import('../core/stored-key.js'),
        import('./local/local-stack.js'),
        import('./ui/open-explorer.js'),
      ]);
      // Check the API key before starting anything: the worker also checks the API key, but starts last.
      if (!options.sandbox) findApiKey(config);
      const stop = interruptSignalSaying('Stopping. Open runs continue at the next start.');
      const starting = startLocalStack({
        config,
        onTaken: 'fail',
        ports: {
          temporal: options.port,
          ui: options.uiPort,
          sandbox: options.sandboxPort,
          metrics: options.metricsPort,
        },
        sandbox: options.sandbox ? [] : null,
      });
      const stack = await Promise.race([starting, untilAborted(stop)]);
      // After an interruption during the start, end this process. The guards then stop the processes it started.
      if (stack === null) return;
      const ended = Promise.race([untilAborted(stop), stack.died]);
      let opening: Promise<Explorer | null> | undefined;
      try {
        say(`Temporal   ${stack.temporal.address}${stack.temporal.ui ? `   web UI ${stack.temporal.ui}` : ''}`);
        if (stack.sandbox) say(`Sandbox    ${stack.sandbox.url}   API key ${stack.sandbox.key}`);
        if (stack.metrics) say(`Metrics    ${stack.metrics}`);
        say(`Worker     ready, log ${showPath(logFile(config.dataDir, 'worker'))}`);
        opening = openBeside(context, { waits: true });
        const explorer = await Promise.race([opening, ended]);
        if (explorer !== null) say(`Explorer   ${explorer.address}`);
        say('\nNext, run `tidemark snapshot` in another terminal. Ctrl-C in this terminal stops everything.');
        await ended;
      } finally {
        await (await opening)?.close();
        await stack.stop();
      }
    });
}
