import path from 'node:path';
import type { Command } from 'commander';
import { TidemarkError } from '../core/errors.js';
import { formatBytes, formatCount } from '../../schemas/format.js';
import { examples, loadContext } from '../terminal/context.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { whileShowingTables } from '../terminal/show-tables.js';
import { sayTable } from '../terminal/say-table.js';

interface PublishOptions {
  list?: boolean;
  to?: string;
  full?: boolean;
  json?: boolean;
}

/** `tidemark publish`: publishes the current warehouse, or points readers at an earlier build. */
export function registerPublish(program: Command): void {
  program
    .command('publish')
    .summary('publish now, or make an earlier build current')
    .description('publish the warehouse now, or make an earlier build current again')
    .option('--list', 'list the kept builds (publish.keep), newest first')
    .option(
      '--to <build>',
      'make this build current again: PREVIOUS, or a name from --list; the next run publishes a new build',
    )
    .option('--full', 'write all rows again, instead of changing a copy of the newest build')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark publish --list', 'tidemark publish --to PREVIOUS', 'tidemark publish'))
    .action(async (options: PublishOptions, command: Command) => {
      if (options.list && options.to !== undefined) {
        throw new TidemarkError('InvalidInput', '--list and --to cannot be combined.', { todo: 'Omit one of them.' });
      }
      const { config, clock } = await loadContext(command);
      if (options.list) return list(config.dataDir, options);
      if (options.to !== undefined) return goTo(config.dataDir, options.to, options);
      const { openWarehouse } = await import('../duckdb/open.js');
      const { publish } = await import('../publish/publish.js');
      const warehouse = await openWarehouse(config.dataDir, { what: 'tidemark publish' });
      try {
        const { dataDir, readers } = config;
        const { full } = options;
        const request = { run: 'by-hand', now: clock.now(), readers, ...config.publish, full };
        const build = await whileShowingTables(options, () => publish(warehouse, dataDir, request));
        if (options.json) return sayJson(build);
        say(`✔ published ${formatCount(build.rows)} rows of ${build.tables} tables`);
        say(`  ${path.join(config.dataDir, build.file)}`);
        say(`  ${build.reason}`);
        for (const note of build.notes) say(`  ${note}`);
      } finally {
        await warehouse.close();
      }
    });
}

async function list(dataDir: string, { json = false }: PublishOptions): Promise<void> {
  const { listBuilds } = await import('../builds/builds.js');
  const builds = listBuilds(dataDir);
  if (json) return sayJson(builds);
  if (builds.length === 0) return say('No build was published yet.');
  sayTable({
    columns: ['build', 'built_at', 'size', ''],
    rows: builds.map(({ name, builtAt, bytes, current }) => [
      name,
      builtAt,
      formatBytes(bytes),
      current ? 'current' : '',
    ]),
  });
}

async function goTo(dataDir: string, wanted: string, { json = false }: PublishOptions): Promise<void> {
  const [{ listBuilds }, { showBuild }] = await Promise.all([
    import('../builds/builds.js'),
    import('../builds/switch.js'),
  ]);
  const name = await showBuild(dataDir, wanted, (holder) => tell(`Waiting for ${holder}.`));
  if (json) return sayJson(listBuilds(dataDir).find((build) => build.name === name));
  say(`✔ ${name} is current. A program that has another build open sees this one after it opens the file again.`);
  say('  The next run or `tidemark publish` publishes a new build.');
}
