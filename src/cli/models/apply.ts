import path from 'node:path';
import { Option, type Command } from 'commander';
import { TidemarkError } from '../../base/errors.js';
import { formatCount, formatDuration } from '../../../schemas/format.js';
import type { Applied, ApplyRequest, RolledBack } from '../../warehouse/publish/apply-models.js';
import type { ModelChange } from '../../warehouse/models/plan.js';
import type { AppliedSet } from '../../warehouse/models/sets.js';
import { copyAndSay } from '../published-copy.js';
import { examples, loadContext, type CliContext } from '../context.js';
import { buildEnvironment } from './environments.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { renderTable } from '../terminal/table.js';
import { whileShowingTables } from '../terminal/show-tables.js';

/**
 * `tidemark models apply|rollback|history`: changes the applied models, or lists the sets of models that were applied.
 */
export function registerModelsApply(models: Command): void {
  models
    .command('apply')
    .summary('build the planned changes and publish')
    .description('build the changes that `models plan` shows, and publish; with --env, build them in a dev environment')
    .addOption(
      new Option(
        '--env <name>',
        'build into a new dev environment, data/env/<name>.duckdb; production does not change',
      ).conflicts('drop'),
    )
    .option(
      '--drop <table...>',
      'drop these tables now, if their model files are deleted; without --drop, only after their `deprecation_date`',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Builds every changed model, and the models that read it, in one step. Then
publishes. Until then, readers see no change. An interrupted or failed build
changes no table: run the command again.

Refuses (exit code 1) a breaking change without a new \`version\`. Also refuses to
remove a table without a \`deprecation_date\` in its header, or before that date.

Every run applies changed models too. One exception: after a rollback, runs
build the restored set until you call this command.
${examples('tidemark models apply', 'tidemark models apply --env me && tidemark models diff --env me', 'tidemark models apply --drop marts.mine')}`,
    )
    .action(apply);

  models
    .command('rollback')
    .summary('restore an earlier set of models')
    .description('restore an earlier set of models; runs build that set until `models apply`')
    .addOption(
      new Option('--to <set>', 'number of the set in `models history`; default the previous set').argParser(parseSet),
    )
    .option('--dry-run', 'show what would change; changes nothing')
    .option('--json', 'print the result as JSON')
    // A set without `--to` is a frequent mistake. `rollBack` names the option.
    .allowExcessArguments()
    .addHelpText(
      'after',
      `
Builds the restored set from its stored SQL texts. The model files do not
change. Later runs build this set too, and say so in their notes. To build the
model files again, run \`tidemark models apply\`.
${examples('tidemark models rollback', 'tidemark models rollback --to 3 --dry-run')}`,
    )
    .action(rollBack);

  models
    .command('history')
    .description('list the sets of models that were applied, newest first')
    .option('--json', 'print them as JSON')
    .addHelpText('after', examples('tidemark models history', 'tidemark models history --json'))
    .action(showHistory);
}

async function apply(options: { env?: string; drop?: string[]; json?: boolean }, command: Command): Promise<void> {
  if (options.env !== undefined) return buildEnvironment(options.env, options, command);
  const request = { ...(await readRequest(options, command)), drop: options.drop };
  const [{ applyModels }, { asWriter }] = await Promise.all([
    import('../../warehouse/publish/apply-models.js'),
    import('../as-writer.js'),
  ]);
  const what = 'tidemark models apply';
  const begun = performance.now();
  const result = await asWriter(request, { what, needs: 'loaded', now: request.now }, async () => {
    const applied = await whileShowingTables(options, () => applyModels(request.data, request));
    if (!options.json) sayApplied(applied, request.data.dataDir, begun);
    if (applied.published !== null) await copyAndSay(request, { what, json: options.json });
    return applied;
  });
  if (options.json) sayJson(withoutTexts(result));
}

function sayApplied(result: Applied, dataDir: string, begun: number): void {
  if (result.built === null && result.published === null) {
    say(`No changes: all ${result.changes.length} models are already applied.`);
    for (const note of result.notes) say(`  note       ${note}`);
    return;
  }
  say(`✔ applied in ${took(begun)}: ${summary(result)}`);
  sayResult(result, dataDir);
}

async function rollBack(options: { to?: number; dryRun?: boolean; json?: boolean }, command: Command): Promise<void> {
  const [unnamed] = command.args;
  if (unnamed !== undefined)
    throw new TidemarkError('InvalidInput', `\`models rollback\` takes the set with --to, not as \`${unnamed}\`.`, {
      todo: `Run: tidemark models rollback --to ${/^\d+$/.test(unnamed) ? unnamed : '<set>'} (\`tidemark models history\` lists the sets)`,
    });
  const request = await readRequest(options, command);
  const [{ rollbackModels }, { asWriter }] = await Promise.all([
    import('../../warehouse/publish/apply-models.js'),
    import('../as-writer.js'),
  ]);
  const what = 'tidemark models rollback';
  const begun = performance.now();
  const { to: wanted, dryRun } = options;
  const result = await asWriter(request, { what, needs: 'loaded', now: request.now }, async () => {
    const restored = await whileShowingTables(options, () =>
      rollbackModels(request.data, { ...request, to: wanted, dryRun }),
    );
    if (!options.json) sayRestored(restored, { dataDir: request.data.dataDir, dryRun, begun });
    if (!dryRun) await copyAndSay(request, { what, json: options.json });
    return restored;
  });
  if (options.json) sayJson({ ...withoutTexts(result), to: plainSet(result.to) });
}

function sayRestored(
  result: RolledBack,
  { dataDir, dryRun = false, begun }: { dataDir: string; dryRun?: boolean | undefined; begun: number },
): void {
  const to = `set ${result.to.ofSet ?? result.to.set} of ${result.to.appliedAt}`;
  if (dryRun) say(`Rollback would restore ${to}: ${summary(result)}`);
  else say(`✔ restored ${to} in ${took(begun)}: ${summary(result)}`);
  sayResult(result, dataDir);
  if (dryRun) say(`  next       tidemark models rollback --to ${result.to.ofSet ?? result.to.set}`);
  else say('  note       runs build this set until `tidemark models apply`');
}

async function showHistory(options: { json?: boolean }, command: Command): Promise<void> {
  const { config } = await loadContext(command);
  const { readHistory } = await import('../../warehouse/models/history.js');
  const sets = (await readHistory(config.dataDir)).toReversed();
  if (options.json) return sayJson(sets);
  if (sets.length === 0) return say('No models were built yet.');
  say(
    renderTable({
      columns: ['set', 'applied at', 'by', 'changed files'],
      rows: sets.map(({ set, appliedAt, origin, ofSet, changed, inForce }) => [
        `${set}${inForce ? ' *' : ''}`,
        appliedAt,
        ofSet === null ? origin : `${origin} to ${ofSet}`,
        changed.length > 4 ? `${changed.length} files` : changed.join(', '),
      ]),
    }),
  );
}

async function readRequest(
  options: { json?: boolean },
  command: Command,
): Promise<ApplyRequest & Pick<CliContext, 'config' | 'data'>> {
  const { config, data, clock } = await loadContext(command);
  const { tableSettings } = await import('../../config/config.js');
  return {
    config,
    data,
    now: clock.now(),
    ...tableSettings(config, data),
    readers: config.readers,
    ...config.publish,
    onStep: (step) => {
      if (!options.json) tell(step === 'models' ? 'Building the models …' : 'Publishing …');
    },
  };
}

function summary({ changes, built, published }: Applied): string {
  const of = (kind: ModelChange['change']) => changes.filter(({ change }) => change === kind).length;
  const kinds = ['added', 'removed', 'directly modified', 'indirectly modified', 'altered'] as const;
  const parts = kinds.flatMap((kind) => (of(kind) > 0 ? [`${of(kind)} ${kind}`] : []));
  if (parts.length > 0) return parts.join(', ');
  return built === null && published !== null
    ? 'no table had to be built; published the existing tables'
    : 'no model changes';
}

function sayResult({ changes, built, published, notes }: Applied, dataDir: string): void {
  for (const { model, change, breaking, deprecationDate } of changes.filter((one) => one.change !== 'unchanged')) {
    const until = deprecationDate === null ? '' : `, served until ${deprecationDate}`;
    say(
      `  ${change === 'removed' ? 'removed' : 'model  '}    ${model}${change === 'removed' ? '' : `, ${change}${until}`}`,
    );
    for (const reason of breaking) say(`             Breaking: ${reason}`);
  }
  for (const audit of built?.failedAudits ?? []) say(`  audit      ${audit}`);
  for (const note of [...notes, ...(built?.notes ?? []), ...(published?.notes ?? [])]) say(`  note       ${note}`);
  if (published !== null)
    say(
      `  published  ${path.join(dataDir, published.file)}: ${published.tables} tables, ${formatCount(published.rows)} rows`,
    );
}

/** Leaves out the texts of the models; `models plan --json` has them. */
function withoutTexts<R extends Applied>(result: R) {
  return { ...result, changes: result.changes.map(({ before: _before, after: _after, ...change }) => change) };
}

function plainSet({ files: _files, ...set }: AppliedSet): Omit<AppliedSet, 'files'> {
  return set;
}

function took(begun: number): string {
  return formatDuration(performance.now() - begun);
}

function parseSet(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new TidemarkError('InvalidInput', `${text} is not the number of a set.`, {
    todo: '`tidemark models history` lists the sets.',
  });
}
