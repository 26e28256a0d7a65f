import { Option, type Command } from 'commander';
import { logFile } from '../../store/data-folder.js';
import { invalidInput } from '../../base/errors.js';
import { examples, loadContext } from '../context.js';
import { interruptSignalSaying, untilAborted } from '../terminal/interrupt.js';
import { metricsPortOption, type MetricsOptions } from '../terminal/metrics-options.js';
import { parseCount, portOption, type PortOptions } from '../terminal/port-options.js';
import { say } from '../terminal/print.js';
import { showPath } from '../terminal/show-path.js';
import type { Explorer } from '../../serve/explorer/explorer.js';

/** Options that `tidemark up` passes to the sandbox. */
const SANDBOX_OPTIONS = {
  companies: '--companies',
  seed: '--seed',
  day: '--day',
  dailyLimit: '--daily-limit',
} as const;
type SandboxOptions = { [Name in keyof typeof SANDBOX_OPTIONS]?: number };
type UpOptions = PortOptions & MetricsOptions & SandboxOptions & { sandbox?: boolean };
/** Options that choose a port. Without them, `up` uses the default port or the next free one. */
const PORT_FLAGS = { temporal: 'port', ui: 'uiPort', sandbox: 'sandboxPort', metrics: 'metricsPort' } as const;

function chosenPorts(command: Command): Set<keyof typeof PORT_FLAGS> {
  const all = Object.keys(PORT_FLAGS) as (keyof typeof PORT_FLAGS)[];
  // Prometheus expects the metrics at a fixed port, also at the one that the configuration names.
  return new Set(all.filter((port) => port === 'metrics' || command.getOptionValueSource(PORT_FLAGS[port]) === 'cli'));
}

/** `tidemark up`: runs the local set-up in the foreground. */
export function registerUp(program: Command): void {
  program
    .command('up')
    .summary('run Temporal and a worker until Ctrl-C')
    .description(
      'run a Temporal dev server, a worker, the explorer and (with --sandbox) the sandbox until Ctrl-C; stopping loses no data',
    )
    .option('--sandbox', 'also start the sandbox API and crawl it instead of api.baseUrl')
    .addOption(sandboxOption('--companies <n>', 'companies in the sandbox'))
    .addOption(sandboxOption('--seed <n>', 'seed of the sandbox'))
    .addOption(sandboxOption('--day <n>', "day of the sandbox's market; the clock is as many days ahead"))
    .addOption(sandboxOption('--daily-limit <n>', 'data calls that the sandbox allows per day'))
    .addOption(portOption('--port <port>', 'Temporal; without it: the default or the next free port', 7233))
    .addOption(portOption('--ui-port <port>', 'the Temporal UI; likewise', 8233))
    .addOption(portOption('--sandbox-port <port>', 'the sandbox; likewise', 4010))
    .addOption(metricsPortOption())
    .addHelpText(
      'after',
      examples(
        'tidemark up --sandbox',
        'tidemark up --sandbox --companies 300 --daily-limit 500',
        'TIDEMARK_API_KEY=… tidemark up',
      ),
    )
    .action(async (options: UpOptions, command: Command) => {
      const sandbox = sandboxArguments(options);
      const context = await loadContext(command);
      const { config } = context;
      const [{ findApiKey }, { startLocalStack }, { openBeside }] = await Promise.all([
        import('../../config/stored-key.js'),
        import('./local-stack.js'),
        import('../explorer/open-explorer.js'),
      ]);
      // Check the API key before starting anything: the worker also checks the API key, but starts last.
      if (!options.sandbox) findApiKey(config);
      const stop = interruptSignalSaying('Stopping. Open runs continue at the next start.');
      const starting = startLocalStack({
        config,
        chosen: chosenPorts(command),
        ports: {
          temporal: options.port,
          ui: options.uiPort,
          sandbox: options.sandboxPort,
          metrics: options.metricsPort,
        },
        sandbox,
        daysAhead: options.day ?? 0,
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

function sandboxOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (with --sandbox)`).argParser(parseCount);
}

/**
 * Returns the arguments of the sandbox; null if no sandbox should start.
 * @throws TidemarkError `InvalidInput` for an option of the sandbox without `--sandbox`
 */
function sandboxArguments(options: UpOptions): string[] | null {
  const given = Object.entries(SANDBOX_OPTIONS).flatMap(([name, flag]) => {
    const value = options[name as keyof SandboxOptions];
    return value === undefined ? [] : [[flag, String(value)]];
  });
  if (options.sandbox) return given.flat();
  const [first] = given;
  if (first) throw invalidInput(`${first[0]} is an option of the sandbox.`, 'Add --sandbox, or leave the option out.');
  return null;
}
