import type { JSX } from 'preact';
import type { ApiRow, NamedCode, OperationsAnswer } from '../../../../schemas/explorer/api.js';
import { describeFilters } from '../../../../schemas/explorer/describe-filters.js';
import { Card, Nothing, Section } from '../../components/basics.js';
import { Chart } from '../../components/chart.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { cell, count, share } from '../../lib/format.js';
import { filtersOf } from '../../lib/narrowest-search.js';
import { wrap } from '../../lib/wrap.js';
import { Reason } from './reason.js';

const gapColumns = (codes: readonly NamedCode[]): Column<ApiRow>[] => [
  {
    id: 'filters',
    name: 'Search',
    value: (gap) => describeFilters(filtersOf(gap), codes),
  },
  { id: 'market', name: 'Market', value: (gap) => gap['market'] },
  { id: 'missing', name: 'Missing', numeric: true, value: (gap) => gap['missing'] },
  {
    id: 'reason',
    name: 'Reason',
    value: (gap) => gap['reason'],
    show: (gap) => <Reason gap={gap} codes={codes} />,
  },
];

/**
 * How much of each market a search found, as a treemap of its segments, and its gaps.
 * @param night date whose searches are shown; an empty text shows the latest search of each market
 * @param onNight chooses another night; without it, there is no choice
 */
export function Coverage({
  facts: { searches, reasons, segments, codes },
  night = '',
  onNight,
}: {
  facts: OperationsAnswer;
  night?: string;
  onNight?: (night: string) => void;
}): JSX.Element {
  const markets = [...new Set(segments.map((segment) => cell(segment['market'])))];
  const nights = [...new Set(searches.map((search) => cell(search['date'])))];
  // The latest search of each market comes first.
  const latest = new Map(searches.toReversed().map((search) => [search['market'], search]));
  const shown = night === '' ? [...latest.values()] : searches.filter((search) => search['date'] === night);
  const gaps = reasons.filter((gap) => shown.some((search) => search['run'] === gap['run']));
  return (
    <>
      {onNight !== undefined && (
        <p class="toolbar">
          <label>
            Night{' '}
            <select value={night} onChange={({ currentTarget }) => onNight(currentTarget.value)}>
              <option value="">the latest of each market</option>
              {night !== '' && !nights.includes(night) && <option>{night}</option>}
              {nights.map((date) => (
                <option key={date}>{date}</option>
              ))}
            </select>
          </label>
        </p>
      )}
      <div class="cards">
        {shown.map((market) => (
          <Card
            key={cell(market['market'])}
            name={`${cell(market['market'])}, ${cell(market['date'])}`}
            value={share(market['share'])}
            more={`${count(market['distinct_companies'])} of ${market['share'] === null ? 'at least ' : ''}${count(market['reported_total'])} found, ${count(market['missing'])} missing`}
          />
        ))}
      </div>
      {night !== '' && shown.length === 0 && <Nothing>No search of {night} ended, so its coverage is unknown.</Nothing>}
      {searches.length === 0 && <Nothing>No search of a market is published yet.</Nothing>}
      {markets.map((market) => (
        <Section
          key={market}
          title={`Segments of ${market}`}
          about="Each area is a search of the run. If searches below it found companies, it counts only the others. Its size is the number of companies that the API reports. Orange areas have gaps."
        >
          <SegmentMap
            market={market}
            segments={segments.filter((segment) => segment['market'] === market)}
            codes={codes}
          />
        </Section>
      ))}
      <Section
        title="Gaps"
        about="The twelve largest gaps of each market. Each is named after the narrowest search that misses its companies, if the data show it."
      >
        {gaps.length === 0 ? (
          <Nothing>These searches left no gap.</Nothing>
        ) : (
          <div class="gaps">
            <DataTable label="Gaps" rows={gaps} columns={gapColumns(codes)} />
          </div>
        )}
      </Section>
    </>
  );
}

/** Letters in a line of a tooltip; it must fit on a phone. */
const LETTERS = 38;

function SegmentMap({
  market,
  segments,
  codes,
}: {
  market: string;
  segments: ApiRow[];
  codes: readonly NamedCode[];
}): JSX.Element {
  const parts = segments.map((segment) => {
    const reported = Number(segment['total_reported'] ?? 0);
    const found = Number(segment['distinct_companies'] ?? 0);
    const missing = Math.max(0, reported - found);
    return {
      name: describeFilters(cell(segment['filters']), codes),
      reported,
      found,
      missing,
      state: cell(segment['state']),
    };
  });
  return (
    <Chart
      title={`Companies reported by segment, ${market}`}
      height={380}
      table={{
        columns: ['Segment', 'Reported', 'Found', 'Missing', 'State'],
        rows: parts.map(({ name, reported, found, missing, state }) => [name, reported, found, missing, state]),
      }}
      option={({ series, warn, panel }) => ({
        tooltip: { formatter: ({ name }: { name: string }) => wrap(name, LETTERS) },
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
            label: { color: panel, overflow: 'break', lineOverflow: 'truncate', lineHeight: 16 },
            data: parts
              .filter(({ reported }) => reported > 0)
              .map(({ name, reported, found, missing }) => ({
                name: `${count(found)} of ${count(reported)} found: ${name}`,
                value: reported,
                itemStyle: { color: missing > 0 ? warn : series[0] },
              })),
          },
        ],
      })}
    />
  );
}
