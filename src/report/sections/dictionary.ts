import type { ReportFacts } from '../../../schemas/pipeline/report.js';
import { html, type Markup } from '../html.js';
import { count } from '../words.js';
import { groupBy, table } from './table.js';

const SCHEMAS: Record<string, string> = {
  core: 'records and their history',
  marts: 'tables for common questions',
  ops: 'runs, requests, coverage and rejects',
  meta: 'origin of the published file',
};

/** Shows every table with its description and number of rows. A click on a table shows its columns. */
export function renderDictionary({ tables }: ReportFacts): Markup {
  return html`${groupBy(tables, (one) => one.table.split('.')[0] ?? '').map(
    ([schema, own]) =>
      html`<h3>${schema}${SCHEMAS[schema] !== undefined && html` · ${SCHEMAS[schema]}`}</h3>
        ${own.map(
          (one) =>
            html`<details>
              <summary>
                <code>${one.table}</code><span class="about">${one.description}</span
                ><span class="badge">${count(one.rows)} rows</span>
              </summary>
              ${table(one.columns, [
                { head: 'Column', cell: ({ name }) => html`<code>${name}</code>`, kind: 'keep' },
                { head: 'Type', cell: ({ type }) => html`<code>${type}</code>` },
                { head: 'Description', cell: ({ comment }) => comment },
                { head: 'From', cell: ({ from }) => from, kind: 'note' },
              ])}
            </details>`,
        )}`,
  )}`;
}
