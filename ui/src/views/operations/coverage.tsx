import type { JSX } from 'preact';
import type { ApiRow, OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { Card, Nothing, Section } from '../../components/basics.js';
import { Chart } from '../../components/chart.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { cell, count, share } from '../../lib/format.js';

const GAPS: Column<ApiRow>[] = [
  { id: 'market', name: 'Market', width: 120, value: (gap) => gap['market'] },
  { id: 'missing', name: 'Missing', width: 90, numeric: true, value: (gap) => gap['missing'] },
  { id: 'class', name: 'Class', width: 120, value: (gap) => gap['class'] },
  {
    id: 'reason',
    name: 'Reason',
    width: 460,
    value: (gap) => gap['reason'],
    show: (gap) => <span title={cell(gap['reason'])}>{cell(gap['reason'])}</span>,
  },
  {
    id: 'filters',
    name: 'Filters',
    width: 340,
    value: (gap) => gap['filters'],
    show: (gap) => <code title={cell(gap['filters'])}>{cell(gap['filters'])}</code>,
  },
];

/** How much of each market the latest search found, as a treemap of its segments, and its gaps. */
export function Coverage({ facts: { coverage, gaps, segments } }: { facts: OperationsAnswer }): JSX.Element {
  const markets = [...new Set(segments.map((segment) => cell(segment['market'])))];
  return (
    <>
      <div class="cards">
        {coverage.map((market) => (
          <Card
            key={cell(market['market'])}
            name={`${cell(market['market'])}, ${cell(market['date'])}`}
            value={share(market['share'])}
            more={`${count(market['distinct_companies'])} of ${count(market['reported_total'])} found, ${count(market['missing'])} missing`}
          />
        ))}
      </div>
      {markets.length === 0 && <Nothing>No search of a market is published yet.</Nothing>}
      {markets.map((market) => (
        <Section
          key={market}
          title={`Segments of ${market}`}
          about="Each area is a search of the latest run; its size is the number of companies that the API reports. Orange areas have gaps; companies of grey areas were carried over from earlier nights."
        >
          <SegmentMap market={market} segments={segments.filter((segment) => segment['market'] === market)} />
        </Section>
      ))}
      <Section title="Gaps" about="The twelve largest gaps of each market.">
        {gaps.length === 0 ? (
          <Nothing>The latest searches left no gap.</Nothing>
        ) : (
          <DataTable label="Gaps" rows={gaps} columns={GAPS} />
        )}
      </Section>
    </>
  );
}

function SegmentMap({ market, segments }: { market: string; segments: ApiRow[] }): JSX.Element {
  const parts = segments.map((segment) => {
    const reported = Number(segment['total_reported'] ?? 0);
    const found = Number(segment['distinct_companies'] ?? 0);
    const carried = Number(segment['carried'] ?? 0);
    const missing = Math.max(0, reported - found - carried);
    return { name: describe(segment), reported, found, carried, missing, state: cell(segment['state']) };
  });
  return (
    <Chart
      title={`Companies reported by segment, ${market}`}
      height={380}
      table={{
        columns: ['Segment', 'Reported', 'Found', 'Carried over', 'State'],
        rows: parts.map(({ name, reported, found, carried, state }) => [name, reported, found, carried, state]),
      }}
      option={({ series, warn, panel }) => ({
        tooltip: {},
        series: [
          {
            type: 'treemap',
            roam: false,
            nodeClick: false,
            breadcrumb: { show: false },
            width: '100%',
            height: '100%',
            top: 0,
            left: 0,
            itemStyle: { borderColor: panel, gapWidth: 2 },
            label: { color: panel, overflow: 'truncate' },
            data: parts
              .filter(({ reported }) => reported > 0)
              .map(({ name, reported, found, carried, missing }) => ({
                name: `${name}: ${count(found)} of ${count(reported)} found${carried > 0 ? `, ${count(carried)} carried over` : ''}`,
                value: reported,
                itemStyle: { color: missing > 0 ? warn : carried > 0 ? series[5] : series[0] },
              })),
          },
        ],
      })}
    />
  );
}

/** Writes the filters of a segment in short. */
function describe(segment: ApiRow): string {
  try {
    const filters = JSON.parse(cell(segment['filters'])) as Record<string, unknown>;
    const parts = Object.entries(filters).map(
      ([name, value]) => `${name} ${JSON.stringify(value).replaceAll(/["[\]{}]/g, '')}`,
    );
    return parts.join(', ') || 'whole market';
  } catch {
    return cell(segment['segment']);
  }
}
