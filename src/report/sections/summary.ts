import { formatShare } from '../../../schemas/format.js';
import type { ReportFacts, ReportNight } from '../../../schemas/pipeline/report.js';
import { sparkline } from '../charts.js';
import { html, type Markup } from '../html.js';
import { count, signed } from '../words.js';
import { groupBy } from './table.js';

/** Shows whether anything needs attention, then the size of each market. */
export function renderSummary(facts: ReportFacts): Markup {
  const latest = facts.runs[0];
  const troubles = troublesOf(facts);
  const title =
    latest === undefined
      ? 'No run is recorded yet'
      : troubles.length === 0
        ? facts.coverage.length === 0
          ? 'Nothing needs attention'
          : 'All markets complete'
        : troubles.length === 1
          ? (troubles[0] ?? '')
          : `${troubles.length} problems`;
  const lead =
    latest === undefined
      ? 'Start the first run with tidemark snapshot.'
      : troubles.length > 1
        ? `${troubles.join('. ')}.`
        : `The latest run, ${latest.workflow_id}, ended ${latest.outcome} with ${count(latest.requests)} requests and ${count(latest.rows)} answers.`;
  return html`<h1>${title}</h1>
    <p class="lead">${lead}</p>
    <div class="cards">
      ${groupBy(facts.nights, ({ market }) => market).map(([market, nights]) =>
        marketCard(market, nights, facts),
      )}${faultsCard(facts)}${driftCard(facts)}
    </div>`;
}

function troublesOf({ runs, coverage, checks }: ReportFacts): string[] {
  const newest = groupBy(runs, ({ type, market }) => `${type} ${market ?? ''}`).flatMap(([, [first]]) =>
    first ? [first] : [],
  );
  return [
    ...newest
      .filter(({ outcome }) => outcome === 'failed' || outcome === 'cancelled')
      .map(({ workflow_id, outcome }) => `${workflow_id} ${outcome === 'failed' ? 'failed' : 'was cancelled'}`),
    ...newest
      .filter(({ held_back }) => held_back !== null)
      .map(({ market }) => `${market ?? 'A market'} was held back, so readers still see the night before`),
    ...coverage
      .filter(({ missing }) => missing > 0)
      .map(({ market, missing }) => `${count(missing)} companies of ${market} are missing`),
    ...checks.map(
      ({ model, check, failing_rows }) => `Audit ${check} of ${model} found ${count(failing_rows)} wrong rows`,
    ),
  ];
}

function marketCard(market: string, nights: ReportNight[], { coverage }: ReportFacts): Markup {
  const last = nights.at(-1);
  const before = nights.at(-2);
  const reached = coverage.find((row) => row.market === market);
  const change = last && before ? `${signed(last.companies - before.companies)} since ${before.date}` : 'first night';
  return html`<div class="card">
    <p class="name">${market}, companies on ${last?.date}</p>
    <p class="figure">${count(last?.companies ?? null)}</p>
    <p class="more">${change}${reached && html` · coverage ${formatShare(reached.share)}`}</p>
    ${nights.length > 1 && sparkline(nights.map(({ companies }) => companies))}
  </div>`;
}

function faultsCard({ rejects }: ReportFacts): Markup {
  const standing = rejects.reduce((sum, row) => sum + row.standing, 0);
  const resolved = rejects.reduce((sum, row) => sum + row.resolved, 0);
  return html`<div class="card">
    <p class="name">Open rejects</p>
    <p class="figure">${count(standing)}</p>
    <p class="more">${count(resolved)} resolved by a later answer</p>
  </div>`;
}

function driftCard({ drift }: ReportFacts): Markup {
  const kinds = groupBy(drift, ({ kind }) => kind).map(([kind, rows]) => `${rows.length} × ${kind}`);
  return html`<div class="card">
    <p class="name">Schema drift</p>
    <p class="figure">${count(drift.length)}</p>
    <p class="more">${kinds.length === 0 ? 'all answers match the reference' : kinds.join(', ')}</p>
  </div>`;
}
