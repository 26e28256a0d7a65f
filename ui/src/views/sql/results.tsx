import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Cell, QueryAnswer } from '../../../../schemas/explorer/api.js';
import { Choice } from '../../components/basics.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { cell, count } from '../../lib/format.js';
import { Link } from '../../lib/router.js';
import { QuickChart } from './quick-chart.js';

const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;

/** Rows of a query as a table or a chart. */
export function Results({ answer }: { answer: QueryAnswer }): JSX.Element {
  const [as, setAs] = useState<'table' | 'chart'>('table');
  const columns = useMemo(() => describeColumns(answer), [answer]);
  return (
    <div class="results">
      <div class="results-head">
        <p role="status">
          {answer.rows.length === 0
            ? '0 rows'
            : `${count(answer.rows.length)} ${answer.rows.length === 1 ? 'row' : 'rows'}`}
          {answer.more &&
            (answer.full
              ? ' (more exist, but a browser cannot show them: export them)'
              : ' (more exist: raise the row limit, or export)')}{' '}
          in {count(answer.milliseconds)} ms
        </p>
        <Choice
          label="Show as"
          options={[
            ['table', 'Table'],
            ['chart', 'Chart'],
          ]}
          value={as}
          onChange={setAs}
        />
      </div>
      {as === 'table' ? (
        <DataTable label="Result" rows={answer.rows} columns={columns} height={640} />
      ) : (
        <QuickChart answer={answer} isNumeric={isNumeric} />
      )}
    </div>
  );
}

function isNumeric(type: string): boolean {
  return NUMERIC.test(type);
}

function describeColumns({ columns, rows }: QueryAnswer): Column<Cell[]>[] {
  return columns.map(({ name, type }, i) => {
    const numeric = isNumeric(type);
    const longest = rows.slice(0, 200).reduce((most, row) => Math.max(most, cell(row[i]).length), name.length + 2);
    const column: Column<Cell[]> = {
      id: `${i} ${name}`,
      name,
      title: type,
      numeric,
      width: Math.min(360, Math.max(72, longest * 8 + 28)),
      value: (row) => row[i],
      show: (row) => <Value value={row[i]} />,
    };
    if (name === 'company_id') column.show = (row) => <Link href={`/company/${cell(row[i])}`}>{cell(row[i])}</Link>;
    return column;
  });
}

function Value({ value }: { value: Cell | undefined }): JSX.Element {
  if (value === null || value === undefined) return <span class="null">NULL</span>;
  const text = cell(value);
  return text.length > 40 ? <span title={text.slice(0, 2_000)}>{text.slice(0, 300)}</span> : <>{text}</>;
}
