import type { createColors } from 'picocolors';
import type { CaseFailure, CaseResult } from '../../warehouse/models/cases/run-case.js';
import type { RowDifference } from '../../warehouse/models/cases/compare-rows.js';
import { renderCell } from '../terminal/table.js';

type Paint = ReturnType<typeof createColors>;

/** Maximum number of differences to show for one query; further ones are only counted. */
const MAX_SHOWN = 20;

/** Renders a case: one line, then each failed query with its differences. */
export function renderCase({ name, failures }: CaseResult, paint: Paint): string {
  if (failures.length === 0) return `  ${paint.green('✔')} ${name}`;
  const lines = failures.flatMap((one) => renderFailure(one, paint)).map((line) => `    ${line}`);
  return [`  ${paint.red('✖')} ${name}`, ...lines].join('\n');
}

function renderFailure({ query, error, differences, reordered }: CaseFailure, paint: Paint): string[] {
  const lines = query === null ? [] : [paint.dim(renderCell(query))];
  const indent = query === null ? '' : '  ';
  if (error !== null) return [...lines, ...error.split('\n').map((line) => paint.red(`${indent}${line}`))];
  if (reordered) return [...lines, `  ${paint.red('the same rows in another order:')} add ORDER BY to the query`];
  lines.push(...differences.slice(0, MAX_SHOWN).flatMap((difference) => renderDifference(difference, paint)));
  if (differences.length > MAX_SHOWN) lines.push(`  … and ${differences.length - MAX_SHOWN} more differing rows`);
  return lines;
}

function renderDifference(difference: RowDifference, paint: Paint): string[] {
  switch (difference.kind) {
    case 'missing':
      return [`  row ${difference.row} is missing`, paint.red(`    - ${renderRow(difference.expected)}`)];
    case 'surplus':
      return [`  row ${difference.row} is not expected`, paint.green(`    + ${renderRow(difference.actual)}`)];
    case 'changed':
      return [
        `  row ${difference.row} differs`,
        ...Object.entries(difference.columns).flatMap(([column, { expected, actual }]) => [
          paint.red(`    - ${column}: ${renderValue(expected)}`),
          paint.green(`    + ${column}: ${renderValue(actual)}`),
        ]),
      ];
  }
}

function renderRow(row: Record<string, unknown>): string {
  return Object.entries(row)
    .map(([column, value]) => `${column}: ${renderValue(value)}`)
    .join(', ');
}

/** Renders a value as JSON, so that 1 and "1" look different. A missing column looks different from NULL. */
function renderValue(value: unknown): string {
  return value === undefined ? '(no such column)' : renderCell(JSON.stringify(value));
}
