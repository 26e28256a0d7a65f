import { html, type Content, type Markup } from '../html.js';

/** A column of a report table: header, cell content and format. */
export interface Column<Row> {
  head: string;
  cell: (row: Row) => Content;
  /** `num`: numbers, right-aligned. `keep`: no line break. `note`: long text in small print. */
  kind?: 'num' | 'keep' | 'note';
}

/** Renders rows as a table. A table that is wider than the page scrolls on its own. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Markup {
  const head = columns.map(
    ({ head: name, kind }) => html`<th scope="col" class="${kind === 'num' ? 'num' : ''}">${name}</th>`,
  );
  const body = rows.map(
    (row) =>
      html`<tr>
        ${columns.map(({ cell, kind }) => html`<td class="${kind ?? ''}">${cell(row)}</td>`)}
      </tr>`,
  );
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}

/** Renders the text of a section that has nothing to show. */
export function nothing(text: string): Markup {
  return html`<p class="none">${text}</p>`;
}

/** Groups rows by a key, in the order in which the keys first appear. */
export function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups];
}
