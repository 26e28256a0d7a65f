import type { JSX } from 'preact';
import type { TendersAnswer } from '../../../../schemas/explorer/api.js';
import { DayFilter, OptionFilter, SelectFilter, TextFilter } from '../../components/filter-fields.js';
import type { TenderFilter } from '../../lib/tender-query.js';

type Facet = TendersAnswer['facets'][number];

const CHOICES: readonly (readonly [Facet['by'], string])[] = [
  ['country', 'Country'],
  ['industry', 'Industry'],
  ['donor', 'Donor'],
  ['status', 'Status'],
  ['type', 'Type'],
];
const STAGES: readonly (readonly [string, string])[] = [
  ['', 'Open'],
  ['closed', 'Not open'],
  ['all', 'All'],
];

/** The filters of the tenders. Each change goes into the address. */
export function TenderFilters({ facets, filter }: { facets: Facet[]; filter: TenderFilter }): JSX.Element {
  return (
    <form class="filters" aria-label="Filters of the tenders" onSubmit={(event) => event.preventDefault()}>
      <TextFilter by="q" name="Words of the title or text" value={filter.q} type="search" wide />
      <OptionFilter by="stage" name="Stage" options={STAGES} value={filter.stage} />
      {CHOICES.map(([by, name]) => (
        <SelectFilter
          key={by}
          by={by}
          name={name}
          options={facets.filter((facet) => facet.by === by).map(({ value, tenders }) => ({ value, rows: tenders }))}
          value={filter[by]}
        />
      ))}
      <DayFilter by="from" name="Deadline from" value={filter.from} />
      <DayFilter by="to" name="Deadline to" value={filter.to} />
    </form>
  );
}
