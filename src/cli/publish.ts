import path from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config/config.js';
import { TidemarkError } from '../base/errors.js';
import { formatBytes, formatCount } from '../../schemas/format.js';
import type { PublishedBuild } from '../warehouse/publish/publish.js';
import { examples, loadContext, type CliContext } from './context.js';
import { say, sayJson, tell } from './terminal/print.js';
import { whileShowingTables } from './terminal/show-tables.js';
import { copyAndSay } from './published-copy.js';
import { sayTable } from './terminal/say-table.js';

interface PublishOptions {
  list?: boolean;
  to?: string;
  copy?: boolean;
  check?: boolean;
  prune?: boolean;
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
    .option('--copy', 'publish nothing; copy the current build to publish.to again, after a copy that failed')
    .option('--check', 'read the files in publish.to again, and send those that are missing or damaged')
    .option('--prune', 'with --copy: remove all replaced versions from publish.to now')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark publish --list', 'tidemark publish --to PREVIOUS', 'tidemark publish'))
    .action(async (options: PublishOptions, command: Command) => {
      if (options.list && options.to !== undefined) {
        throw new TidemarkError('InvalidInput', '--list and --to cannot be combined.', { todo: 'Omit one of them.' });
      }
      checkCopy(options);
      const context = await loadContext(command);
      const { config, clock } = context;
      if (options.copy || options.check) requirePlace(config);
      if (options.list) return list(config, options);
      const { asWriter } = await import('./as-writer.js');
      const { to } = options;
      const what = 'tidemark publish';
      const now = clock.now();
      if (to !== undefined) return asWriter(context, { what, needs: 'none', now }, () => goTo(context, to, options));
      if (options.copy) return asWriter(context, { what, needs: 'none', now }, () => copy(context, options));
      await asWriter(context, { what, needs: 'built', now }, () => publishAndSay(context, now, options));
    });
}

async function publishAndSay(context: CliContext, now: Date, options: PublishOptions): Promise<void> {
  const build = await publishNow(context, now, options);
  const what = 'tidemark publish';
  const { check } = options;
  if (options.json) return sayJson({ ...build, ...(await copyAndSay(context, { what, json: true, check })) });
  say(`✔ published ${formatCount(build.rows)} rows of ${build.tables} tables`);
  say(`  ${path.join(context.config.dataDir, build.file)}`);
  for (const note of build.notes) say(`  ${note}`);
  await copyAndSay(context, { what, check });
}

async function publishNow({ config, data }: CliContext, now: Date, options: PublishOptions): Promise<PublishedBuild> {
  const { openWarehouse } = await import('../warehouse/duckdb/open.js');
  const { publish } = await import('../warehouse/publish/publish.js');
  const { missingWarehouse, REPLAY } = await import('../warehouse/load/missing-warehouse.js');
  const missing = await missingWarehouse(config);
  if (missing !== null) throw new TidemarkError('Internal', `Nothing was published: ${missing}.`, { todo: REPLAY });
  const warehouse = await openWarehouse(data, { what: 'tidemark publish' });
  try {
    const { dataDir, readers } = config;
    const request = { run: 'by-hand', now, readers, ...config.publish };
    return await whileShowingTables(options, () => publish(warehouse, dataDir, request));
  } finally {
    await warehouse.close();
  }
}

async function list(config: Config, { json = false }: PublishOptions): Promise<void> {
  const { listKeptBuilds } = await import('../warehouse/builds/take-published.js');
  const builds = await listKeptBuilds(config);
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

function checkCopy({ copy: isCopy, check, prune, list: isList, to }: PublishOptions): void {
  if (check && (isList || to !== undefined)) {
    throw new TidemarkError('InvalidInput', '--check cannot be combined with --list and --to.', {
      todo: 'Use `tidemark publish --check`, or add --copy to publish nothing new.',
    });
  }
  if (isCopy && (isList || to !== undefined)) {
    throw new TidemarkError('InvalidInput', '--copy cannot be combined with --list and --to.', {
      todo: 'Omit --copy: each publication is copied.',
    });
  }
  if (prune && !isCopy) {
    throw new TidemarkError('InvalidInput', '--prune needs --copy.', { todo: 'Add --copy.' });
  }
}

function requirePlace({ publish }: Config): void {
  if (publish.to !== undefined) return;
  throw new TidemarkError('InvalidConfig', '`publish.to` is not set.', {
    todo: 'Set it in tidemark.yaml, for example to s3://my-bucket/tidemark.',
  });
}

async function copy(context: CliContext, { json, prune, check }: PublishOptions): Promise<void> {
  const options = { what: 'tidemark publish --copy', json, check, ...(prune && { keepSeconds: 0 }) };
  const result = await copyAndSay(context, options);
  if (json) sayJson(result);
}

async function goTo(context: CliContext, wanted: string, { json = false }: PublishOptions): Promise<void> {
  const { config } = context;
  const { dataDir } = config;
  const [{ listBuilds }, { showBuild }, { takeKept }] = await Promise.all([
    import('../warehouse/builds/builds.js'),
    import('../warehouse/builds/switch.js'),
    import('../warehouse/builds/take-published.js'),
  ]);
  await takeKept(config, wanted);
  const name = await showBuild(dataDir, wanted, (holder) => tell(`Waiting for ${holder}.`));
  if (json) {
    const build = listBuilds(dataDir).find((one) => one.name === name);
    return sayJson({ ...build, ...(await copyAndSay(context, { what: 'tidemark publish --to', json })) });
  }
  say(`✔ ${name} is current. A program that has another build open sees this one after it opens the file again.`);
  say('  The next run or `tidemark publish` publishes a new build.');
  await copyAndSay(context, { what: 'tidemark publish --to' });
}
