import type { JSX } from 'preact';
import type { ReportFacts, ReportTable } from '../../../schemas/pipeline/report.js';
import { Section, TextTable } from '../components/basics.js';
import { SCHEMAS } from '../lib/dictionary.js';
import { count } from '../lib/format.js';

/** Every table with its description and number of rows. A click on a table shows its columns. */
export function Dictionary({ tables }: { tables: ReportFacts['tables'] }): JSX.Element {
  const schemas = [...new Set(tables.map(({ table }) => schemaOf(table)))];
  return (
    <>
      {schemas.map((schema) => (
        <Section key={schema} title={schema} about={SCHEMAS[schema]}>
          {tables
            .filter(({ table }) => schemaOf(table) === schema)
            .map((one) => (
              <Table key={one.table} of={one} />
            ))}
        </Section>
      ))}
    </>
  );
}

function schemaOf(table: string): string {
  return table.split('.')[0] ?? '';
}

function Table({ of: { table, description, rows, columns } }: { of: ReportTable }): JSX.Element {
  return (
    <details class="dictionary">
      <summary>
        <code>{table}</code> · {count(rows)} rows
        <span class="line soft">{description}</span>
      </summary>
      <TextTable label={`Columns of ${table}`} heads={['Column', 'Type', 'Description', 'From']}>
        {columns.map(({ name, type, comment, from }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>
              <code>{type}</code>
            </td>
            <td class="text">{comment}</td>
            <td class="text soft">{from}</td>
          </tr>
        ))}
      </TextTable>
    </details>
  );
}
