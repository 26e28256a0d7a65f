import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ApiRow, Cell, OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { Badge, Nothing, Section } from '../../components/basics.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { tableAddress } from '../../lib/dictionary.js';
import { cell, count, duration, instant, NONE, share } from '../../lib/format.js';
import { Link } from '../../lib/router.js';
import { Quota } from './quota.js';
import { RunNote } from './reason.js';

interface Shown {
  name: string;
  /** `table`: the name of a table, as a link to its versions. */
  as?: 'number' | 'time' | 'duration' | 'share' | 'outcome' | 'code' | 'table';
  width?: number;
}

/** A table of rows by column name. Says `none` if there are no rows. */
function Rows({
  title,
  about,
  rows,
  columns,
  none,
}: {
  title: string;
  about?: ComponentChildren;
  rows: ApiRow[];
  columns: Record<string, Shown>;
  none: string;
}): JSX.Element {
  const shown = useMemo(() => Object.entries(columns).map(describe), [title]);
  return (
    <Section title={title} about={about}>
      {rows.length === 0 ? <Nothing>{none}</Nothing> : <DataTable label={title} rows={rows} columns={shown} />}
    </Section>
  );
}

function describe([id, { name, as, width }]: [string, Shown]): Column<ApiRow> {
  const numeric = as === 'number' || as === 'duration' || as === 'share';
  const base = { id, name, numeric, width: width ?? 130, value: (row: ApiRow) => row[id] };
  if (as === 'time') return { ...base, show: (row) => instant(row[id]) };
  if (as === 'duration') return { ...base, show: (row) => duration(row[id]) };
  if (as === 'share') return { ...base, show: (row) => share(row[id]) };
  if (as === 'table') {
    const address = (row: ApiRow): string => tableAddress(cell(row[id]), { tab: 'versions' });
    return { ...base, show: (row) => <Link href={address(row)}>{cell(row[id])}</Link> };
  }
  if (as === 'outcome') return { ...base, show: (row) => <Outcome of={cell(row[id])} /> };
  if (as === 'code') return { ...base, show: (row) => <code title={cell(row[id])}>{cell(row[id]) || NONE}</code> };
  if (as === undefined) return { ...base, show: (row) => <span title={cell(row[id])}>{cell(row[id]) || NONE}</span> };
  return base;
}

/** Without widths, the cells of a table wrap. */
function withoutWidth(column: Column<ApiRow>): Column<ApiRow> {
  const wrapped = { ...column };
  delete wrapped.width;
  return wrapped;
}

function Outcome({ of }: { of: string }): JSX.Element {
  const kind = of === 'complete' ? 'good' : of === 'failed' ? 'bad' : of === 'running' ? 'plain' : 'warn';
  return <Badge kind={kind}>{of}</Badge>;
}

/** The latest runs with all of their remarks, and how many requests each was forecast to send. */
export function Runs({ facts: { runs, forecasts } }: { facts: OperationsAnswer }): JSX.Element {
  const heldBack = runs.some((run) => typeof run['held_back'] === 'string');
  const shown: [string, Shown][] = [
    ['workflow_id', { name: 'Run' }],
    ['outcome', { name: 'Outcome', as: 'outcome' }],
    ['started_at', { name: 'Started, UTC', as: 'time' }],
    ['seconds', { name: 'Took', as: 'duration' }],
    ['requests', { name: 'Requests', as: 'number' }],
    ['rows', { name: 'Rows', as: 'number' }],
    ...(heldBack ? [['held_back', { name: 'Held back' }] satisfies [string, Shown]] : []),
  ];
  const columns: Column<ApiRow>[] = [
    ...shown.map(describe).map(withoutWidth),
    {
      id: 'note',
      name: 'Note',
      value: (run) => run['note'],
      show: (run) => <RunNote run={run} />,
    },
  ];
  return (
    <>
      <Section title="Runs">
        {runs.length === 0 ? (
          <Nothing>No run is recorded yet.</Nothing>
        ) : (
          <div class="runs">
            <DataTable label="Runs" rows={runs} columns={columns} />
          </div>
        )}
      </Section>
      <Rows
        title="Forecast and fact"
        rows={forecasts}
        none="No run made a forecast yet."
        columns={{
          date: { name: 'Night', width: 110 },
          market: { name: 'Market', width: 110 },
          stream: { name: 'Stream' },
          forecast: { name: 'Forecast', as: 'number', width: 100 },
          actual: { name: 'Sent', as: 'number', width: 100 },
          basis: { name: 'Basis', width: 420 },
        }}
      />
    </>
  );
}

/** Requests, quota and the age of the records. */
export function Supply({ facts: { requests, quota, freshness } }: { facts: OperationsAnswer }): JSX.Element {
  return (
    <>
      <Rows
        title="Requests"
        about={
          <>
            By endpoint, in the latest run of each kind. Errors are requests that failed; retries are requests that
            repeated a failed one. The folder <code>requests</code> of a run, in <code>data/runs</code>, lists each
            request.
          </>
        }
        rows={requests}
        none="No request is recorded yet."
        columns={{
          workflow_id: { name: 'Run', width: 230 },
          endpoint: { name: 'Endpoint', as: 'code', width: 320 },
          requests: { name: 'Requests', as: 'number', width: 100 },
          errors: { name: 'Errors', as: 'number', width: 80 },
          retries: { name: 'Retries', as: 'number', width: 80 },
          p50_ms: { name: 'Median, ms', as: 'number', width: 105 },
          p99_ms: { name: '99 %, ms', as: 'number', width: 95 },
        }}
      />
      <Quota readings={quota} />
      <Rows
        title="Freshness"
        about="Days since the API last answered for the members of each market."
        rows={freshness}
        none="No market is published yet."
        columns={{
          market: { name: 'Market' },
          stream: { name: 'Stream' },
          days: { name: 'Days', as: 'number', width: 90 },
          companies: { name: 'Companies', as: 'number', width: 120 },
        }}
      />
    </>
  );
}

/** Values that could not be used, schema drift, and audits that failed. */
export function Quality({ facts: { rejects, drift, checks } }: { facts: OperationsAnswer }): JSX.Element {
  return (
    <>
      <Rows
        title="Open rejects"
        about="Values and records that could not be used, the latest first; at most 300."
        rows={rejects}
        none="No reject is open."
        columns={{
          stream: { name: 'Stream', width: 110 },
          entity_id: { name: 'Record', width: 110 },
          reason: { name: 'Reason', width: 240 },
          path: { name: 'Field', as: 'code', width: 180 },
          raw: { name: 'Value or body', as: 'code', width: 320 },
          last_seen: { name: 'Last seen, UTC', as: 'time', width: 170 },
        }}
      />
      <Rows
        title="Schema drift"
        about="Where the API’s answers differ from its reference."
        rows={drift}
        none="The answers match the reference."
        columns={{
          route: { name: 'Route', as: 'code', width: 280 },
          path: { name: 'Field', as: 'code', width: 220 },
          kind: { name: 'Kind', width: 120 },
          expected: { name: 'Expected', width: 120 },
          type: { name: 'Found', width: 120 },
          share: { name: 'Answers', as: 'share', width: 90 },
          first_seen: { name: 'Since, UTC', as: 'time', width: 170 },
          sample: { name: 'Sample', as: 'code', width: 240 },
        }}
      />
      <Rows
        title="Audits with findings"
        rows={checks}
        none="All audits passed."
        columns={{
          model: { name: 'Table', as: 'code', width: 220 },
          check: { name: 'Audit', width: 240 },
          severity: { name: 'Severity', width: 100 },
          failing_rows: { name: 'Rows', as: 'number', width: 100 },
          at: { name: 'Checked, UTC', as: 'time', width: 170 },
        }}
      />
    </>
  );
}

const MODEL_COLUMNS: Record<string, Shown> = {
  applied_at: { name: 'Applied, UTC', as: 'time', width: 170 },
  model: { name: 'Table', as: 'table', width: 260 },
  version: { name: 'Version', as: 'number', width: 90 },
  kind: { name: 'Kind', width: 120 },
  state: { name: 'State', width: 120 },
  deprecation_date: { name: 'Published until', width: 140 },
  held_since: { name: 'Rolled back, UTC', as: 'time', width: 170 },
};

/** Names of what the receipt says, in the words of a reader. */
const RECEIPT: Readonly<Record<string, string>> = {
  run: 'made for run',
  built_at: 'built, UTC',
  config_hash: 'hash of the configuration',
  parts: 'parts (files of responses)',
  landed_rows: 'responses in these parts',
};

function receiptValue(name: string, value: Cell): string {
  if (name === 'built_at') return instant(value);
  return typeof value === 'number' ? count(value) : cell(value) || NONE;
}

/** How this build was made, and when each model changed. */
export function Models({ facts: { models, receipt } }: { facts: OperationsAnswer }): JSX.Element {
  const times = models.map((model) => cell(model['applied_at']));
  const first = times.toSorted()[0] ?? '';
  const changed = models.filter((_, i) => times[i] !== first);
  return (
    <>
      {receipt !== null && (
        <Section title="This build">
          <dl class="facts">
            {Object.entries(receipt).map(([name, value]) => (
              <div key={name}>
                <dt>{RECEIPT[name] ?? name.replaceAll('_', ' ')}</dt>
                <dd>{receiptValue(name, value)}</dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
      <Rows
        title="Model changes"
        about={
          <>
            The latest change first. The page of each table shows its rows before and after. Before a change,{' '}
            <code>tidemark models diff</code> shows which rows it would change.
          </>
        }
        rows={changed}
        none={models.length === 0 ? 'No model is recorded.' : `No model has changed since ${instant(first)} UTC.`}
        columns={MODEL_COLUMNS}
      />
      {changed.length < models.length && (
        <details>
          <summary>
            {count(models.length - changed.length)} models are the same since {instant(first)} UTC
          </summary>
          <ul class="plain small">
            {models
              .filter((_, i) => times[i] === first)
              .map((model) => (
                <li key={`${cell(model['model'])} ${cell(model['version'])}`}>
                  <Link href={tableAddress(cell(model['model']), { tab: 'versions' })}>{cell(model['model'])}</Link>,
                  version {cell(model['version'])}, {cell(model['kind'])}
                </li>
              ))}
          </ul>
        </details>
      )}
    </>
  );
}
