import { Option, type Command } from 'commander';
import { configOption, examples } from '../context.js';
import { metricsPortOption } from '../terminal/metrics-options.js';
import { parseCount } from '../terminal/port-options.js';
import type { DemoOptions } from './run-demo.js';

/** `tidemark demo`: sets up everything on this machine and fills a warehouse that can be queried. */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .summary('fill a warehouse from the sandbox and query it')
    .description('start Temporal, the sandbox API and a worker; take one complete snapshot; run example queries')
    .option('--once', 'exit after the snapshot, also in a terminal')
    .addOption(new Option('--companies <n>', "companies in the sandbox's market").argParser(parseCount).default(10_000))
    .addOption(new Option('--tenders <n>', 'tenders in the sandbox').argParser(parseCount).default(400))
    .addOption(metricsPortOption())
    .addHelpText('after', examples('tidemark demo', 'tidemark demo --once --companies 1000'))
    .action(async (options: DemoOptions, command: Command) => {
      const { runDemo } = await import('./run-demo.js');
      await runDemo(options, configOption(command));
    });
}
