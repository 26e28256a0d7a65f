import { formatShare } from '../../../schemas/format.js';
import type { ReportCoverage, ReportFacts } from '../../../schemas/pipeline/report.js';
import { shareBar } from '../charts.js';
import { html, type Markup } from '../html.js';
import { count } from '../words.js';
import { nothing, table } from './table.js';

/** Shows for each market how much of it was found, how well this is proven, and each gap. */
export function renderCoverage({ coverage, gaps }: ReportFacts): Markup {
  if (coverage.length === 0) return nothing('No search has ended yet.');
  return html`${coverage.map((market) => {
    const own = gaps.filter((gap) => gap.market === market.market);
    const more = (own[0]?.of ?? 0) - own.length;
    return html`<h3>${market.market}, ${market.date}</h3>
      <p class="about">
        Found ${count(market.distinct_companies)} of ${count(market.reported_total)} companies that the API reports:
        ${formatShare(market.share)}${market.missing > 0 && html`, <strong>${count(market.missing)} missing</strong>`}.${
          market.carried > 0 &&
          html` ${count(market.carried)} members were carried over: not searched this night, last found on
          ${market.carried_since} or later.`
        }
      </p>
      ${proof(market)}${
        own.length === 0
          ? nothing('No gaps.')
          : table(own, [
              { head: 'Missing', cell: ({ missing }) => (missing === 0 ? 'unknown' : count(missing)), kind: 'num' },
              { head: 'Class', cell: (gap) => html`<span class="badge warn">${gap.class}</span>` },
              { head: 'Filters', cell: ({ filters }) => html`<code>${filters}</code>` },
              { head: 'Why', cell: ({ reason }) => reason, kind: 'note' },
            ])
      }${more > 0 && html`<p class="about">${count(more)} more gaps: tidemark coverage shows all.</p>`}`;
  })}`;
}

function proof({ classes, missing }: ReportCoverage): Markup {
  const parts = [
    ...classes
      .filter(({ found }) => found > 0)
      .map((part) => ({ name: part.class, value: part.found, kind: part.class })),
    ...(missing > 0 ? [{ name: 'missing', value: missing, kind: 'lost' }] : []),
  ];
  if (parts.length === 0) return html``;
  const legend = parts.map(
    ({ name, value, kind }) =>
      html`<li>
        <svg viewBox="0 0 10 10" aria-hidden="true"><rect class="${kind}" width="10" height="10" rx="2" /></svg>${name}
        ${count(value)}
      </li>`,
  );
  return html`<figure>
    <figcaption>
      Companies by proof
      <ul class="legend">
        ${legend}
      </ul>
    </figcaption>
    ${shareBar(parts)}
  </figure>`;
}
