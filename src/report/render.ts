import { createHash } from 'node:crypto';
import type { ReportFacts } from '../../schemas/pipeline/report.js';
import { html, type Markup } from './html.js';
import { renderCoverage } from './sections/coverage.js';
import { renderDictionary } from './sections/dictionary.js';
import { renderDrift, renderRejects } from './sections/faults.js';
import { renderFreshness } from './sections/freshness.js';
import { renderMarkets } from './sections/markets.js';
import { renderForecasts, renderQuota, renderRequests } from './sections/requests.js';
import { renderRuns } from './sections/runs.js';
import { renderSummary } from './sections/summary.js';
import { STYLE } from './style.js';
import { formatCount, formatInstant } from '../../schemas/format.js';

interface Section {
  id: string;
  /** Title in the navigation. */
  short: string;
  title: string;
  about: string;
  render: (facts: ReportFacts) => Markup;
}

const SECTIONS: Section[] = [
  {
    id: 'markets',
    short: 'Markets',
    title: 'Markets, night by night',
    about:
      'Number of companies of each market, and how many entered, left or changed since the night before. Numbers that a night did not prove are left out.',
    render: renderMarkets,
  },
  { id: 'runs', short: 'Runs', title: 'Runs', about: 'The latest runs and how they ended.', render: renderRuns },
  {
    id: 'coverage',
    short: 'Coverage',
    title: 'Coverage',
    about:
      'Companies that the latest search of each market found, by class of proof. Every company counts once, in its best class. Every gap is listed.',
    render: renderCoverage,
  },
  {
    id: 'forecast',
    short: 'Forecast',
    title: 'Forecast and actual requests',
    about: 'For each run: the requests forecast at its start, and the requests sent.',
    render: renderForecasts,
  },
  {
    id: 'requests',
    short: 'Requests',
    title: 'Requests and latency',
    about: 'Requests by endpoint, for the latest run of each kind.',
    render: renderRequests,
  },
  {
    id: 'quota',
    short: 'Quota',
    title: 'Quota',
    about: 'Usage metrics, as the API reports them.',
    render: renderQuota,
  },
  {
    id: 'freshness',
    short: 'Freshness',
    title: 'Freshness',
    about: 'Time since the API last answered for the members of each market.',
    render: renderFreshness,
  },
  {
    id: 'rejects',
    short: 'Rejects',
    title: 'Failures and rejects',
    about:
      'Values and records in the API’s answers that cannot be used. If only one value of an answer is wrong, the rest was loaded.',
    render: renderRejects,
  },
  {
    id: 'drift',
    short: 'Drift',
    title: 'Schema drift',
    about: 'Where the API’s answers differ from its reference. The landing zone keeps the bodies as received.',
    render: renderDrift,
  },
  {
    id: 'dictionary',
    short: 'Dictionary',
    title: 'Data dictionary',
    about: 'Every table of the published file, with its columns and the origin of their values.',
    render: renderDictionary,
  },
];

/**
 * Renders the report as one HTML file for light and dark screens and for paper. The file has no script and loads
 * nothing, and its content security policy enforces this. Text from the API is always escaped.
 */
export function renderReport(facts: ReportFacts): string {
  // The policy names the hash of this style sheet and so allows no other.
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="generator" content="Tidemark ${facts.version}" />
        <title>Tidemark report, ${facts.generated_at.slice(0, 10)}</title>
        STYLE_SHEET
      </head>
      <body>
        <header>
          <p class="kicker">Tidemark · report of ${formatInstant(facts.generated_at)}</p>
          ${renderSummary(facts)}
        </header>
        <nav aria-label="Sections">
          <ul>
            ${SECTIONS.map(({ id, short }) => html`<li><a href="#${id}">${short}</a></li>`)}
          </ul>
        </nav>
        <main>
          ${SECTIONS.map(
            ({ id, title, about, render }) =>
              html`<section id="${id}">
                <h2>${title}</h2>
                <p class="about">${about}</p>
                ${render(facts)}
              </section>`,
          )}
        </main>
        <footer>${renderFooter(facts)}</footer>
      </body>
    </html> `;
  return page.text.replace('STYLE_SHEET', () => `<style>${STYLE}</style>`);
}

function renderFooter({ file, version }: ReportFacts): Markup {
  if (file === null) return html`<p>Made by Tidemark ${version}.</p>`;
  return html`<p>
    Made by Tidemark ${version} from the file published ${formatInstant(file.built_at)} for run
    <code>${file.run}</code>${
      file.config_hash === null ? null : html`, configuration <code>${file.config_hash.slice(0, 12)}</code>`
    }:
    ${formatCount(file.landed_rows)} responses in ${formatCount(file.parts)} parts. Times are UTC.
  </p>`;
}
