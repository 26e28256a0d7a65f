import { formatInstant, formatShare } from '../../../schemas/format.js';
import type { ReportDrift, ReportFacts } from '../../../schemas/pipeline/report.js';
import { tinyBar } from '../charts.js';
import { html, type Markup } from '../html.js';
import { count } from '../words.js';
import { nothing, table } from './table.js';

/** Shows rejects by stream and reason, then the model audits that found rows. */
export function renderRejects({ rejects, checks }: ReportFacts): Markup {
  const most = Math.max(0, ...rejects.map(({ standing }) => standing));
  const wrong =
    rejects.length === 0
      ? nothing('No rejects.')
      : table(rejects, [
          { head: 'Stream', cell: ({ stream }) => stream, kind: 'keep' },
          { head: 'Reason', cell: ({ reason }) => html`<code>${reason}</code>` },
          { head: 'Open', cell: ({ standing }) => count(standing), kind: 'num' },
          { head: '', cell: ({ standing }) => tinyBar(standing, most, 's4') },
          { head: 'Resolved', cell: ({ resolved }) => count(resolved), kind: 'num' },
          { head: 'Example path', cell: ({ path }) => html`<code>${cut(path)}</code>` },
          { head: 'Last seen', cell: ({ last_seen }) => formatInstant(last_seen), kind: 'keep' },
        ]);
  if (checks.length === 0) return wrong;
  return html`${wrong}
    <h3>Audits that found wrong rows</h3>
    ${table(checks, [
      { head: 'Model', cell: ({ model }) => html`<code>${model}</code>` },
      { head: 'Audit', cell: ({ check }) => check },
      { head: 'Rows', cell: ({ failing_rows }) => count(failing_rows), kind: 'num' },
      {
        head: 'Severity',
        cell: ({ severity }) => html`<span class="badge ${severity === 'error' ? 'bad' : 'warn'}">${severity}</span>`,
      },
      { head: 'At', cell: ({ at }) => formatInstant(at), kind: 'keep' },
    ])}`;
}

const MARKS: Record<string, string> = { 'new field': '', 'changed type': 'warn', missing: 'bad' };

/** Shows schema drift: new fields, changed types and missing fields, latest first. */
export function renderDrift({ drift }: ReportFacts): Markup {
  if (drift.length === 0) return nothing('All answers match the reference.');
  return table(drift, [
    {
      head: 'Difference',
      cell: ({ kind }) => html`<span class="badge ${MARKS[kind] ?? ''}">${kind}</span>`,
      kind: 'keep',
    },
    { head: 'Path', cell: ({ path }) => html`<code>${cut(path)}</code>` },
    { head: 'Route', cell: ({ route }) => html`<code>${route}</code>` },
    { head: 'Type', cell: types },
    { head: 'Example', cell: ({ sample }) => sample !== null && html`<code>${sample}</code>` },
    { head: 'Share of bodies', cell: ({ share, bodies }) => `${formatShare(share)} (${count(bodies)})`, kind: 'num' },
    { head: 'First seen', cell: ({ first_seen }) => formatInstant(first_seen), kind: 'keep' },
    { head: 'Last seen', cell: ({ last_seen }) => formatInstant(last_seen), kind: 'keep' },
  ]);
}

function types({ kind, type, expected }: ReportDrift): string | null {
  return kind === 'changed type' ? `${type} instead of ${expected}` : kind === 'missing' ? expected : type;
}

function cut(path: string): string {
  return path.length > 90 ? `${path.slice(0, 90)}…` : path;
}
