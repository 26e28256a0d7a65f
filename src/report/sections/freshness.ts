import type { ReportFacts } from '../../../schemas/pipeline/report.js';
import { barChart } from '../charts.js';
import { html, type Markup } from '../html.js';
import { nothing } from './table.js';

const AGES: [name: string, upTo: number][] = [
  ['today', 0],
  ['1 day', 1],
  ['2 to 7', 7],
  ['8 to 30', 30],
  ['31 to 90', 90],
  ['older', Infinity],
];

/** Shows the companies of each market by the age of their last answer. */
export function renderFreshness({ freshness }: ReportFacts): Markup {
  const markets = [...new Set(freshness.map(({ market }) => market))];
  if (markets.length === 0) return nothing('No market has members yet.');
  return html`<div class="grid2">
    ${markets.map((market) => {
      const own = freshness.filter((row) => row.market === market);
      const streams = [...new Set(own.map(({ stream }) => stream))];
      return barChart(
        `${market}: days since the last answer`,
        [...AGES.map(([name]) => name), 'never'],
        streams.map((stream) => ({
          name: stream,
          values: [...AGES.map((_, i) => i), null].map((age) =>
            own
              .filter((row) => row.stream === stream && ageOf(row.days) === age)
              .reduce((sum, { companies }) => sum + companies, 0),
          ),
        })),
      );
    })}
  </div>`;
}

function ageOf(days: number | null): number | null {
  return days === null ? null : AGES.findIndex(([, upTo]) => days <= upTo);
}
