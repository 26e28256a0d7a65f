import type { createColors } from 'picocolors';
import { formatCount } from '../../../schemas/format.js';
import type { EnvDiff, TableDiff } from '../../warehouse/publish/diff.js';
import { renderCell } from '../terminal/table.js';

type Paint = ReturnType<typeof createColors>;

/** Renders the differences for a person, one block per table: `-` production, `+` the environment. */
export function renderDiff({ env, tables }: EnvDiff, paint: Paint): string {
  const basis = [
    `${env.name} (${env.file}, built at ${env.builtAt}) compared with production`,
    ...(env.isStale
      ? [
          paint.yellow(
            `Production was published again since then, so the data may differ too. \`tidemark models apply --env ${env.name}\` builds the environment again.`,
          ),
        ]
      : []),
  ];
  if (tables.length === 0) return [...basis, 'The environment has no model.'].join('\n');
  return [basis.join('\n'), ...tables.map((table) => renderTable(table, paint))].join('\n\n');
}

function renderTable(diff: TableDiff, paint: Paint): string {
  const { model, key, rowsHere, rowsThere, onlyHere, onlyThere, changed } = diff;
  const head = paint.bold(model);
  if (rowsThere === null) return `${head}  new, ${rows(rowsHere)}`;
  const shape = [
    ...diff.addedColumns.map((column) => paint.green(`  + column ${column}`)),
    ...diff.removedColumns.map((column) => paint.red(`  - column ${column}`)),
  ];
  if (onlyHere + onlyThere + (changed ?? 0) === 0) {
    const same = shape.length > 0 ? 'the same rows in the common columns' : 'the same rows';
    return [`${head}  ${rows(rowsHere)}, ${same}`, ...shape].join('\n');
  }
  const how =
    key === null ? ['  (rows are compared by all common columns, because there is no common unique key)'] : [];
  return [
    `${head}  ${rows(rowsHere)} in the environment, ${formatCount(rowsThere)} in production`,
    ...how,
    ...shape,
    ...(onlyHere > 0
      ? [`  ${rows(onlyHere)} only in the environment`, ...samples(diff.samplesOnlyHere, '+', paint.green)]
      : []),
    ...(onlyThere > 0
      ? [`  ${rows(onlyThere)} only in production`, ...samples(diff.samplesOnlyThere, '-', paint.red)]
      : []),
    ...((changed ?? 0) > 0 ? [`  ${rows(changed ?? 0)} changed`] : []),
    ...diff.columns.flatMap((column) => [
      `    ${column.column}: ${rows(column.rows)}`,
      ...column.samples.map(
        ({ key: at, there, here }) =>
          `      ${renderRow(at)}: ${paint.red(renderValue(there))} → ${paint.green(renderValue(here))}`,
      ),
    ]),
  ].join('\n');
}

function samples(shown: Record<string, string | null>[], mark: string, colour: (text: string) => string): string[] {
  return shown.map((row) => colour(`    ${mark} ${renderRow(row)}`));
}

function renderRow(row: Record<string, string | null>): string {
  return Object.entries(row)
    .map(([column, value]) => `${column} ${renderValue(value)}`)
    .join(', ');
}

function renderValue(value: string | null): string {
  return value === null ? 'NULL' : renderCell(value);
}

function rows(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`;
}
