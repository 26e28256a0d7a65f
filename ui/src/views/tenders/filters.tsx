import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TendersAnswer } from '../../../../schemas/explorer/api.js';
import { count } from '../../lib/format.js';
import { WITHOUT } from '../../lib/list-query.js';
import { setParams } from '../../lib/router.js';
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
/** A search begins this long after the last letter. */
const PAUSE_MS = 300;

/** The filters of the tenders. Each change goes into the address. */
export function TenderFilters({ facets, filter }: { facets: Facet[]; filter: TenderFilter }): JSX.Element {
  return (
    <form class="filters" aria-label="Filters of the tenders" onSubmit={(event) => event.preventDefault()}>
      <TextFilter value={filter.q} />
      <label>
        Stage
        <select value={filter.stage} onChange={({ currentTarget }) => setParams({ stage: currentTarget.value })}>
          {STAGES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {CHOICES.map(([by, name]) => (
        <FacetFilter key={by} by={by} name={name} facets={facets} value={filter[by]} />
      ))}
      <DayFilter by="from" name="Deadline from" value={filter.from} />
      <DayFilter by="to" name="Deadline to" value={filter.to} />
    </form>
  );
}

function TextFilter({ value }: { value: string }): JSX.Element {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => setParams({ q: text.trim() }, { replace: true }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="wide">
      Words of the title or text
      <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
    </label>
  );
}

function FacetFilter({
  by,
  name,
  facets,
  value,
}: {
  by: Facet['by'];
  name: string;
  facets: Facet[];
  value: string;
}): JSX.Element {
  const own = facets.filter((facet) => facet.by === by);
  const options = own.map((facet) => ({
    value: facet.value ?? WITHOUT,
    name: `${facet.value ?? 'not stated'} (${count(facet.tenders)})`,
  }));
  // A link may name a value that no tender has now.
  if (value !== '' && !options.some((option) => option.value === value)) options.push({ value, name: value });
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => setParams({ [by]: currentTarget.value })}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  );
}

function DayFilter({ by, name, value }: { by: 'from' | 'to'; name: string; value: string }): JSX.Element {
  return (
    <label>
      {name}
      <input type="date" value={value} onChange={({ currentTarget }) => setParams({ [by]: currentTarget.value })} />
    </label>
  );
}
