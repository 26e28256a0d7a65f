import { commandLine } from '../../base/text/pasteable.js';
import type { createColors } from 'picocolors';
import { formatCount } from '../../../schemas/format.js';
import type { ModelsPlan } from '../../warehouse/models/read-plan.js';
import { cut } from '../../base/text/display-width.js';
import { diffTexts } from './text-diff.js';

type Paint = ReturnType<typeof createColors>;
type Change = ModelsPlan['changes'][number];

const HEADINGS: [kind: Change['change'], heading: string][] = [
  ['added', 'Added'],
  ['removed', 'Removed'],
  ['directly modified', 'Directly modified'],
  ['indirectly modified', 'Indirectly modified'],
  ['altered', 'Columns changed by hand after their build'],
];

const MARKS: Partial<Record<Change['change'], string>> = { added: '+', removed: '-', 'directly modified': '~' };

/** Renders the plan for a person: changes and their reasons, text differences of edited models, models to build. */
export function renderPlan(plan: ModelsPlan, { paint, width }: { paint: Paint; width: number }): string {
  const changed = plan.changes.filter(({ change }) => change !== 'unchanged');
  const blocks = [[renderBasis(plan), ...renderHold(plan), ...plan.overdue].join('\n')];
  if (plan.comparedWith === 'none') {
    blocks.push(`${changed.length} new models: ${changed.map(({ model }) => model).join(', ')}.`);
    const faults = changed.flatMap(({ model, faults: all }) => all.map((fault) => `  ${model}: ${fault}`));
    if (faults.length > 0) blocks.push([paint.bold('Faults:'), ...faults.map((line) => paint.red(line))].join('\n'));
    return blocks.join('\n\n');
  }
  if (changed.length === 0)
    return [...blocks, paint.green(`No changes: all ${plan.changes.length} models are already applied.`)].join('\n\n');
  for (const [kind, heading] of HEADINGS) {
    const group = changed.filter(({ change }) => change === kind);
    if (group.length === 0) continue;
    blocks.push([paint.bold(`${heading}:`), ...renderGroup(group, paint, width)].join('\n'));
  }
  blocks.push(renderBackfill(plan, paint));
  return blocks.join('\n\n');
}

function renderBasis({ comparedWith, file }: ModelsPlan): string {
  if (comparedWith === 'none') return 'No warehouse exists yet: the next run builds every model.';
  if (comparedWith === 'warehouse') return `Compared with ${file}`;
  return `Compared with the current build (${file}), because the warehouse is missing or in use.`;
}

function renderGroup(group: readonly Change[], paint: Paint, width: number): string[] {
  const name = Math.max(...group.map(({ model }) => model.length));
  return group.flatMap((change) => [
    `  ${MARKS[change.change] ?? ' '} ${change.model.padEnd(name)}  ${describe(change, paint)}`,
    ...change.breaking.map((reason) => paint.red(`      ${reason}`)),
    ...change.faults.map((fault) => paint.red(`      fault: ${fault}`)),
    ...change.nonBreaking.map((reason) => `      ${reason}`),
    ...(change.refused.length > 0 ? [paint.red(`      refused: ${wayOut(change)}`)] : []),
    ...(change.change === 'directly modified' ? renderText(change, paint, width) : []),
  ]);
}

function wayOut({ model, change, version, deprecationDate }: Change): string {
  if (change === 'removed')
    return `restore its file, or drop the table: ${commandLine(`tidemark models apply --drop ${model}`)}`;
  return deprecationDate === null
    ? `raise \`version\` (now ${version}) in its header`
    : 'a deprecated version must not change';
}

function describe(change: Change, paint: Paint): string {
  const { kind, rows, breaking, because, appliedVersion, version, deprecationDate } = change;
  const versions = appliedVersion !== null && version !== null && appliedVersion !== version;
  return [
    kind,
    ...(versions ? [`version ${appliedVersion} → ${version}`] : []),
    ...(deprecationDate === null
      ? []
      : [`deprecated, ${change.change === 'removed' ? 'was ' : ''}served until ${deprecationDate}`]),
    ...(rows === null ? [] : [formatRows(rows)]),
    ...(change.change === 'added' || change.change === 'altered'
      ? []
      : [breaking.length > 0 ? paint.red('Breaking') : 'Non-breaking']),
    ...(because.length > 0 ? [`through ${because.join(', ')}`] : []),
  ].join(', ');
}

function renderText({ before, after }: Change, paint: Paint, width: number): string[] {
  if (before === null || after === null) return [];
  return diffTexts(before, after).map((line) => {
    if (line.startsWith('@@')) return paint.cyan(`      ${line}`);
    if (line.startsWith('-')) return paint.red(`      ${line}`);
    return line.startsWith('+') ? paint.green(`      ${line}`) : paint.dim(cut(`      ${line}`, width));
  });
}

/**
 * Lists the incremental models that must be built for all keys. A run always builds changed tables and views in full.
 */
function renderBackfill({ changes, held }: ModelsPlan, paint: Paint): string {
  const what = held === null ? 'the next run' : '`tidemark models apply`';
  const incremental = changes.filter(
    ({ kind, rebuild, change }) => kind === 'incremental' && rebuild && change !== 'removed',
  );
  const heading = paint.bold('Models needing backfill:');
  if (incremental.length === 0)
    return [`${heading} none. Only incremental models need one.`, ...renderAffected(changes)].join('\n');
  const width = Math.max(...incremental.map(({ model }) => model.length));
  return [
    `${heading} ${what} builds these incremental models in full`,
    ...incremental.map(({ model, rows }) => `    ${model.padEnd(width)}  ${rows === null ? 'new' : formatRows(rows)}`),
    ...renderAffected(changes),
  ].join('\n');
}

/** Counts the rows of all tables that are built in full, because each of these rows may change. */
function renderAffected(changes: readonly Change[]): string[] {
  const affected = changes.filter(({ rebuild, rows }) => rebuild && rows !== null);
  const rows = affected.reduce((sum, change) => sum + (change.rows ?? 0), 0);
  return affected.length === 0
    ? []
    : [`Affected: ${formatRows(rows)} in ${affected.length} ${affected.length === 1 ? 'table' : 'tables'}.`];
}

/** Explains that after a rollback, only `models apply` carries out the plan; runs ignore it. */
function renderHold({ held }: ModelsPlan): string[] {
  if (held === null) return [];
  const set = held.set === null ? '' : ` (set ${held.set})`;
  return [
    `Since the rollback of ${held.since}, each run builds an earlier set of models${set}. The plan below shows the effect of \`tidemark models apply\`.`,
  ];
}

function formatRows(rows: number): string {
  return `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
}
