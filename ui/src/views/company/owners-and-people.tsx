import type { JSX } from 'preact';
import type { CompanyAnswer, OwnerRow } from '../../../../schemas/explorer/api.js';
import { Badge, Nothing, Section } from '../../components/basics.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { cell, instant, NONE } from '../../lib/format.js';
import { Link } from '../../lib/router.js';

type Person = NonNullable<CompanyAnswer['people']>[number];

const PEOPLE: Column<Person>[] = [
  {
    id: 'name',
    name: 'Name',
    value: (row) => row['full_name'],
    show: (row) => row['full_name'] ?? `person ${cell(row['person_id'])} (name not kept)`,
  },
  { id: 'title', name: 'Title', value: (row) => row['title'] ?? row['function'] },
  { id: 'department', name: 'Department', value: (row) => cell(row['department']).replaceAll(/[[\]"]/g, '') || null },
  { id: 'listed', name: 'Listed as', value: (row) => row['stream'] },
  {
    id: 'since',
    name: 'This version since',
    value: (row) => row['valid_from'],
    show: (row) => instant(row['valid_from']),
  },
  {
    id: 'left',
    name: 'Left',
    value: (row) => row['left_on'],
    show: (row) => (row['left_on'] === null ? NONE : <Badge kind="warn">{row['left_on']}</Badge>),
  },
];

/** Owners as a tree, companies that it owns, and people, as far as the configuration keeps them. */
export function OwnersAndPeople({ data: { owners, owned, people } }: { data: CompanyAnswer }): JSX.Element {
  return (
    <>
      <Section
        title="Owners"
        about="Direct owners first, and below each the owners of that owner. Shares are as the API states them."
      >
        {owners === null || owners.length === 0 ? (
          <Nothing>
            No owner is known. The stream <code>ownership</code> of a market fetches owners. Then{' '}
            <code>tidemark owners enrich</code> asks the API to look for more.
          </Nothing>
        ) : (
          <ul class="tree">
            {owners.map((owner) => (
              <li key={owner.position} class={`depth-${Math.min(owner.depth, 8)}`}>
                <OwnerName owner={owner} />
                <span class="soft">
                  {[owner.owner_type, owner.country].filter(Boolean).join(', ')}
                  {owner.direct_share !== null && ` · direct share ${owner.direct_share}`}
                  {owner.effective_share !== null && ` · effective share ${owner.effective_share}`}
                </span>
                {owner.is_cycle && <Badge kind="warn">circle: shown above</Badge>}
              </li>
            ))}
          </ul>
        )}
      </Section>
      {owned !== null && owned.length > 0 && (
        <Section title="Owns">
          <ul class="plain">
            {owned.map(({ company_id: id, name, effective_share: part }) => (
              <li key={id}>
                <Link href={`/company/${id}`}>{name ?? `Company ${id}`}</Link>
                {part !== null && ` · effective share ${part}`}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="People">
        {people === null || people.length === 0 ? (
          <Nothing>
            No people are known. The streams <code>executives</code> and <code>employees</code> fetch them. The setting{' '}
            <code>personalData</code> decides what is kept.
          </Nothing>
        ) : (
          <DataTable label="People" rows={people} columns={PEOPLE} />
        )}
      </Section>
    </>
  );
}

function OwnerName({ owner }: { owner: OwnerRow }): JSX.Element {
  const name =
    owner.owner_name ?? (owner.is_natural_person ? 'Person (name not kept)' : `Owner ${owner.owner_id ?? ''}`);
  return owner.company_id === null ? (
    <strong>{name}</strong>
  ) : (
    <Link href={`/company/${owner.company_id}`}>{name}</Link>
  );
}
