import { formatInstant } from '../../../schemas/format.js';
import type { ReportFacts, ReportRun } from '../../../schemas/pipeline/report.js';
import { html, type Markup } from '../html.js';
import { count, duration } from '../words.js';
import { nothing, table } from './table.js';

const MARKS: Record<string, string> = {
  complete: 'good',
  partial: 'warn',
  stopped: 'warn',
  failed: 'bad',
  cancelled: 'bad',
};

/** Shows the latest runs, newest first. */
export function renderRuns({ runs }: ReportFacts): Markup {
  if (runs.length === 0) return nothing('No run is recorded yet.');
  return table(runs, [
    { head: 'Started', cell: ({ started_at }) => formatInstant(started_at), kind: 'keep' },
    { head: 'Run', cell: ({ workflow_id }) => html`<code class="id">${workflow_id}</code>` },
    { head: 'Outcome', cell: outcome, kind: 'keep' },
    { head: 'Duration', cell: ({ seconds }) => duration(seconds), kind: 'num' },
    { head: 'Requests', cell: ({ requests }) => count(requests), kind: 'num' },
    { head: 'Answers', cell: ({ rows }) => count(rows), kind: 'num' },
    { head: 'Notes', cell: ({ note, held_back }) => held_back ?? note, kind: 'note' },
  ]);
}

function outcome({ outcome: ended, held_back }: ReportRun): Markup {
  const badge = html`<span class="badge ${MARKS[ended] ?? ''}">${ended}</span>`;
  return held_back === null ? badge : html`${badge} <span class="badge warn">held back</span>`;
}
