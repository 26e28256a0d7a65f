import { formatBytes, formatInstant } from '../../../schemas/format.js';
import type { ReportFacts } from '../../../schemas/pipeline/report.js';
import { barChart, lineChart, tinyBar } from '../charts.js';
import { html, type Markup } from '../html.js';
import { count, milliseconds, signed } from '../words.js';
import { groupBy, nothing, table } from './table.js';

/** Compares forecast requests with sent requests: a chart for the newest run, a table for all runs. */
export function renderForecasts({ forecasts }: ReportFacts): Markup {
  if (forecasts.length === 0) return nothing('No run has made a forecast yet.');
  const [newest] = groupBy(forecasts, ({ run }) => run);
  const own = newest?.[1] ?? [];
  const chart =
    own.length === 0
      ? null
      : barChart(
          `${own[0]?.market ?? 'run'}, ${own[0]?.date}: requests`,
          own.map(({ stream }) => stream),
          [
            { name: 'forecast', values: own.map(({ forecast }) => forecast) },
            { name: 'sent', values: own.map(({ actual }) => actual) },
          ],
        );
  return html`<div class="grid2">${chart}</div>
    ${table(forecasts, [
      { head: 'Night', cell: ({ date }) => date, kind: 'keep' },
      { head: 'Market', cell: ({ market }) => market },
      { head: 'Stream', cell: ({ stream }) => stream },
      { head: 'Forecast', cell: ({ forecast }) => count(forecast), kind: 'num' },
      { head: 'Sent', cell: ({ actual }) => count(actual), kind: 'num' },
      {
        head: 'Difference',
        cell: ({ forecast, actual }) => (actual === null ? '–' : signed(actual - forecast)),
        kind: 'num',
      },
      { head: 'Basis', cell: ({ basis }) => basis, kind: 'note' },
    ])}`;
}

/** Shows requests, errors, retries and latency by endpoint. */
export function renderRequests({ requests }: ReportFacts): Markup {
  if (requests.length === 0) return nothing('No run has sent a request yet.');
  return html`${groupBy(requests, ({ workflow_id }) => workflow_id).map(([workflow, own]) => {
    const slowest = Math.max(...own.map(({ p99_ms }) => p99_ms ?? 0));
    return html`<h3><code>${workflow}</code></h3>
      ${table(own, [
        { head: 'Endpoint', cell: ({ endpoint }) => html`<code>${endpoint}</code>` },
        { head: 'Requests', cell: (row) => count(row.requests), kind: 'num' },
        { head: 'Errors', cell: ({ errors }) => count(errors), kind: 'num' },
        { head: 'Retries', cell: ({ retries }) => count(retries), kind: 'num' },
        { head: 'Received', cell: (row) => formatBytes(row.bytes), kind: 'num' },
        { head: 'Median', cell: ({ p50_ms }) => milliseconds(p50_ms), kind: 'num' },
        { head: '99th percentile', cell: ({ p99_ms }) => milliseconds(p99_ms), kind: 'num' },
        { head: '', cell: ({ p99_ms }) => tinyBar(p99_ms ?? 0, slowest, 's1') },
      ])}`;
  })}`;
}

/** Shows the API's usage metrics: the latest reading of each metric, and charts of the two most used metrics. */
export function renderQuota({ quota }: ReportFacts): Markup {
  if (quota.length === 0) return nothing('No run has read a metric yet.');
  const metrics = groupBy(quota, ({ metric }) => metric);
  const charts = metrics
    .filter(([, readings]) => readings.length > 1 && readings.some(({ used }) => used > 0))
    .toSorted(([, a], [, b]) => Math.max(...b.map(({ used }) => used)) - Math.max(...a.map(({ used }) => used)))
    .slice(0, 2)
    .map(([metric, readings]) =>
      lineChart(
        metric,
        readings.map(({ read_at }) => read_at.slice(5, 10)),
        [{ name: 'used', values: readings.map(({ used }) => used) }],
      ),
    );
  const latest = metrics.flatMap(([, readings]) => readings.at(-1) ?? []);
  return html`<div class="grid2">${charts}</div>
    ${table(latest, [
      { head: 'Metric', cell: ({ metric }) => html`<code>${metric}</code>` },
      { head: 'Used', cell: ({ used }) => count(used), kind: 'num' },
      { head: 'Allowed', cell: ({ total }) => (total > 0 ? count(total) : 'no figure'), kind: 'num' },
      { head: '', cell: ({ used, total }) => total > 0 && tinyBar(used, total, used / total > 0.9 ? 's4' : 's0') },
      { head: 'Read at', cell: ({ read_at }) => formatInstant(read_at), kind: 'keep' },
    ])}`;
}
