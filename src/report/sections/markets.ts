import type { ReportFacts } from '../../../schemas/pipeline/report.js';
import { barChart, lineChart } from '../charts.js';
import { html, type Markup } from '../html.js';
import { count } from '../words.js';
import { groupBy, nothing, table } from './table.js';

const SHOWN = 14;

/** Shows the size of each market by night, and how many companies entered, left and changed. */
export function renderMarkets({ nights }: ReportFacts): Markup {
  if (nights.length === 0) return nothing('No night has become current yet.');
  return html`${groupBy(nights, ({ market }) => market).map(([market, own]) => {
    const days = own.map(({ date }) => date.slice(5));
    const values = (pick: (night: (typeof own)[number]) => number | null): (number | null)[] => own.map(pick);
    const charts =
      own.length < 2
        ? null
        : html`<div class="grid2">
            ${lineChart('Companies', days, [
              { name: 'companies', values: values((night) => night.companies) },
            ])}${barChart('Entered, left, changed', days, [
              { name: 'entered', values: values((night) => night.entered) },
              { name: 'left', values: values((night) => night.left) },
              { name: 'changed', values: values((night) => night.changed) },
            ])}
          </div>`;
    return html`<h3>${market}</h3>
      ${charts}${table(own.slice(-SHOWN).toReversed(), [
        { head: 'Night', cell: ({ date }) => date, kind: 'keep' },
        { head: 'Companies', cell: ({ companies }) => count(companies), kind: 'num' },
        { head: 'Carried over', cell: ({ carried }) => count(carried), kind: 'num' },
        { head: 'Active', cell: ({ active }) => count(active), kind: 'num' },
        { head: 'Entered', cell: ({ entered }) => count(entered), kind: 'num' },
        { head: 'Left', cell: ({ left }) => count(left), kind: 'num' },
        { head: 'Changed', cell: ({ changed }) => count(changed), kind: 'num' },
        {
          head: 'Coverage',
          cell: ({ is_complete }) =>
            is_complete
              ? html`<span class="badge good">complete</span>`
              : html`<span class="badge warn">with gaps</span>`,
        },
      ])}`;
  })}`;
}
