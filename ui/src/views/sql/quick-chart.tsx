import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Cell, QueryAnswer } from '../../../../schemas/explorer/api.js';
import { Nothing } from '../../components/basics.js';
import { Chart } from '../../components/chart.js';
import { cell, short, timeOf } from '../../lib/format.js';

/** Marks that a chart can show well. */
const MOST = 2_000;
const KINDS = ['bar', 'line', 'scatter'] as const;

type Kind = (typeof KINDS)[number];

/** Draws one column of a result against another one. */
export function QuickChart({
  answer,
  isNumeric,
}: {
  answer: QueryAnswer;
  isNumeric: (type: string) => boolean;
}): JSX.Element {
  const { columns, rows } = answer;
  const numbers = columns.flatMap(({ type }, i) => (isNumeric(type) ? [i] : []));
  const other = columns.findIndex(({ type }) => !isNumeric(type));
  const [x, setX] = useState(other >= 0 ? other : 0);
  const [y, setY] = useState(numbers.find((i) => i !== x) ?? numbers[0] ?? -1);
  const [kind, setKind] = useState<Kind>(isTime(columns[x]?.type ?? '') ? 'line' : 'bar');
  if (y < 0 || rows.length === 0) return <Nothing>A chart needs rows and at least one column of numbers.</Nothing>;
  const shown = rows.slice(0, MOST);
  const labels = shown.map((row) => cell(row[x]));
  const values = shown.map((row) => (row[y] === null ? null : Number(row[y])));
  const type = columns[x]?.type ?? '';
  // An axis of time or numbers shows distances in proportion; an axis of names does not.
  const axis = isTime(type) ? 'time' : kind !== 'bar' && isNumeric(type) ? 'value' : 'category';
  const across = (value: Cell | undefined): number => (axis === 'time' ? timeOf(value) : Number(value));
  const pick = (name: string, value: number, only: readonly number[], set: (i: number) => void): JSX.Element => (
    <label>
      {name}{' '}
      <select value={value} onChange={({ currentTarget }) => set(Number(currentTarget.value))}>
        {only.map((i) => (
          <option key={i} value={i}>
            {columns[i]?.name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div class="toolbar">
        {pick(
          'Across',
          x,
          columns.map((_, i) => i),
          setX,
        )}
        {pick('Up', y, numbers, setY)}
        <label>
          Kind{' '}
          <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
            {KINDS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      <Chart
        key={`${kind} ${x} ${y} ${answer.milliseconds}`}
        title={`${columns[y]?.name} by ${columns[x]?.name}${rows.length > MOST ? `, first ${MOST} rows` : ''}`}
        height={420}
        table={{
          columns: [columns[x]?.name ?? '', columns[y]?.name ?? ''],
          rows: labels.slice(0, 200).map((label, i) => [label, values[i] ?? '']),
        }}
        option={() => ({
          tooltip: { trigger: axis === 'value' ? 'item' : 'axis' },
          xAxis: axis === 'category' ? { type: axis, data: labels } : { type: axis, scale: true },
          yAxis: { type: 'value', axisLabel: { formatter: (value: number) => short(value) } },
          series: [
            {
              type: kind,
              name: columns[y]?.name,
              symbolSize: 6,
              data: axis === 'category' ? values : shown.map((row, i) => [across(row[x]), values[i]]),
            },
          ],
        })}
      />
    </>
  );
}

function isTime(type: string): boolean {
  return /^(DATE|TIMESTAMP)/.test(type);
}
