import { html, type Content, type Markup } from '../html.js';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => Content;
  /** `num`: figures, to the right. `keep`: on one line. `note`: small, many words. */
  kind?: 'num' | 'keep' | 'note';
}

/** Rows as a table that scrolls by itself where it is too wide. */
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

/** What stands where there is nothing to show. */
export function nothing(text: string): Markup {
  return html`<p class="none">${text}</p>`;
}

/** Rows by a key, in the order of its first appearance. */
export function groupBy<Row>(rows: readonly Row[], key: (row: Row) => string): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups];
}
