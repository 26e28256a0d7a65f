import type { JSX } from 'preact';
import type { MarketsAnswer } from '../../../../schemas/explorer/api.js';
import { DayFilter, OptionFilter, SelectFilter, TextFilter } from '../../components/filter-fields.js';
import type { ListFilter } from '../../lib/list-query.js';
import { useData } from '../../lib/use-data.js';

const CHOICES = [
  ['country', 'Country'],
  ['industry', 'Industry'],
  ['legal_form', 'Legal form'],
  ['status', 'Status'],
] as const;

const MOVES = [
  ['', 'in market now'],
  ['entered', 'came'],
  ['left', 'left'],
] as const;

/** The filters of the companies. Each change goes into the address. */
export function ListFilters({ filter }: { filter: ListFilter }): JSX.Element {
  const market = filter.market === '' ? '' : `?market=${encodeURIComponent(filter.market)}`;
  const { data } = useData<MarketsAnswer>(`/api/v1/markets${market}`);
  return (
    <form class="filters" aria-label="Filters of the companies" onSubmit={(event) => event.preventDefault()}>
      {CHOICES.map(([by, name]) => (
        <SelectFilter
          key={by}
          by={by}
          name={name}
          options={(data?.breakdown ?? [])
            .filter((group) => group.by === by)
            .map(({ value, companies }) => ({ value, rows: companies }))}
          value={filter[by]}
        />
      ))}
      <TextFilter by="employees_from" name="Employees from" value={filter.employees_from} type="number" />
      <TextFilter by="employees_to" name="Employees to" value={filter.employees_to} type="number" />
      <OptionFilter by="moved" name="Came or left" options={MOVES} value={filter.moved} />
      {filter.moved !== '' && <DayFilter by="date" name="On the night" value={filter.date} />}
    </form>
  );
}
