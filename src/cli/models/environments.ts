import { Option, type Command } from 'commander';
import { TidemarkError } from '../../base/errors.js';
import { formatCount } from '../../../schemas/format.js';
import { examples, loadContext } from '../context.js';
import { commandLine } from '../../base/text/pasteable.js';
import { renderDiff } from './diff-view.js';
import { colorsFor, say, sayJson, sayResult, tell } from '../terminal/print.js';
import { renderTable } from '../terminal/table.js';

/** `tidemark models diff|env`: compares and manages dev environments. */
export function registerModelsEnv(models: Command): void {
  models
    .command('diff [models...]')
    .description('compare the rows of a dev environment with production')
    .requiredOption('--env <name>', 'the environment, created with `models apply --env <name>`')
    .addOption(
      new Option('--limit <rows>', 'number of rows to show for each difference').default(3).argParser(parseLimit),
    )
    .option('--json', 'print the differences as JSON')
    .addHelpText(
      'after',
      `
Matches rows by the key in the model's header. The exit code is 0 even if there
are differences.
${examples('tidemark models diff --env me', 'tidemark models diff --env me marts.market_daily --limit 10')}`,
    )
    .action(showDiff);

  const env = models
    .command('env')
    .description('list or remove dev environments')
    .addHelpText('after', examples('tidemark models env list', 'tidemark models env drop me'));
  env
    .command('list')
    .description('list every environment with its models')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('tidemark models env list --json'))
    .action(listEnvironments);
  env
    .command('drop <name>')
    .description('remove an environment; production does not change')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', examples('tidemark models env drop me'))
    .action(dropEnvironment);
}

/** `tidemark models apply --env <name>`: builds the changed models in a dev environment. */
export async function buildEnvironment(name: string, options: { json?: boolean }, command: Command): Promise<void> {
  const { config, data, clock } = await loadContext(command);
  const [{ applyEnv }, { tableSettings }] = await Promise.all([
    import('../../warehouse/publish/environments.js'),
    import('../../config/config.js'),
  ]);
  const built = await applyEnv(config.dataDir, {
    name,
    now: clock.now(),
    ...tableSettings(config, data),
    onModel: (model) => {
      if (!options.json) tell(`Building ${model} …`);
    },
  });
  if (options.json) {
    const refused = built.refused.map(({ model, refused: why }) => ({ model, refused: why }));
    return sayJson({ env: name, ...built, refused });
  }
  if (built.models.length === 0)
    return say(`✔ ${name}: no model differs from production, so the environment is empty.`);
  say(`✔ ${name} built, production did not change: ${built.file}`);
  for (const { model, change, rows, failedAudits } of built.models) {
    say(`  ${model}, ${change}, ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`);
    for (const audit of failedAudits) say(`    audit failed: ${audit}`);
  }
  for (const { model, version, refused } of built.refused)
    say(`  production would refuse ${model}, because it breaks readers of version ${version}: ${refused.join('; ')}`);
  say(
    `Compare it: ${commandLine(`tidemark models diff --env ${name}`)}; query it: ${commandLine(`tidemark sql --env ${name} "…"`)}`,
  );
}

async function showDiff(
  models: string[],
  options: { env: string; limit: number; json?: boolean },
  command: Command,
): Promise<void> {
  const { config } = await loadContext(command);
  const { diffEnv } = await import('../../warehouse/publish/diff.js');
  const diff = await diffEnv(config.dataDir, options.env, models, options.limit);
  if (options.json) sayJson(diff);
  else say(renderDiff(diff, colorsFor(process.stdout)));
}

async function listEnvironments(options: { json?: boolean }, command: Command): Promise<void> {
  const { config } = await loadContext(command);
  const { listEnvs } = await import('../../warehouse/publish/environments.js');
  const envs = await listEnvs(config.dataDir);
  if (options.json) return sayJson(envs);
  if (envs.length === 0) return say('No environment exists. `tidemark models apply --env <name>` creates one.');
  say(
    renderTable({
      columns: ['environment', 'built at', 'models', ''],
      rows: envs.map(({ name, builtAt, models, isStale }) => [
        name,
        builtAt,
        models.join(', '),
        isStale ? 'older than production' : '',
      ]),
    }),
  );
}

async function dropEnvironment(name: string, options: { json?: boolean }, command: Command): Promise<void> {
  const { config } = await loadContext(command);
  const { dropEnv } = await import('../../warehouse/publish/environments.js');
  dropEnv(config.dataDir, name);
  sayResult(options, { environment: name, change: 'removed' }, `✔ removed ${name}`);
}

function parseLimit(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new TidemarkError('InvalidInput', `${text} is not a number of rows.`, { todo: 'Write a number up to 99999.' });
}
