import type { JSX } from 'preact';
import type { MarketsAnswer } from '../../../../schemas/explorer/api.js';
import type { Column } from '../../components/data-table.js';
import { Missing } from '../../components/euro.js';
import { count, growth, money, NONE } from '../../lib/format.js';
import { Link } from '../../lib/router.js';

/** Companies of a market that have one thing in common. */
export type Group = MarketsAnswer['breakdown'][number];

/**
 * Columns of the groups of one kind.
 * @param list makes the address of the list of a group's companies
 */
export function groupColumns(
  by: string,
  name: string,
  list: (by: string, value: string | null) => string,
): Column<Group>[] {
  return [
    {
      id: by,
      name,
      value: (group) => group.value,
      show: (group) => <Link href={list(by, group.value)}>{group.value ?? 'not stated'}</Link>,
    },
    { id: 'companies', name: 'Companies', numeric: true, value: (group) => group.companies },
    {
      id: 'turnover',
      name: 'Turnover, EUR',
      numeric: true,
      value: (group) => group.turnover_eur,
      show: (group) =>
        group.turnover_eur === null ? (
          <Missing why="no turnover is known in EUR">none in EUR</Missing>
        ) : (
          <span title={`${count(group.with_turnover)} of ${count(group.companies)} companies`}>
            {money(group.turnover_eur, null)}
          </span>
        ),
      title: 'Sum of the companies whose turnover is known in EUR',
    },
    {
      id: 'growth_of_sum',
      name: 'Growth of the sum',
      title:
        'Turnover of all compared companies together, in EUR at the rates of the later year; large companies count more',
      numeric: true,
      value: (group) => group.growth_of_sum,
      show: (group) =>
        group.growth_of_sum === null ? (
          <Missing why="no growth is known in EUR" />
        ) : (
          <Based growth={group.growth_of_sum} companies={group.with_growth_eur} />
        ),
    },
    {
      id: 'growth',
      name: 'Median growth',
      title:
        'Median of the companies’ growth of turnover, each in its own currency; large and small ones count the same',
      numeric: true,
      value: (group) => group.growth_median,
      show: (group) =>
        group.growth_median === null ? (
          <Missing why="no company has a turnover of two consecutive years" />
        ) : (
          <Based growth={group.growth_median} companies={group.with_growth} />
        ),
    },
    {
      id: 'years',
      name: 'Latest year',
      title: 'Latest fiscal year of the compared companies; each is compared with the year before',
      numeric: true,
      value: yearsOf,
      show: (group) => yearsOf(group) ?? NONE,
    },
  ];
}

/** A growth, and how many companies it compares. */
function Based({ growth: value, companies }: { growth: number; companies: number }): JSX.Element {
  return (
    <>
      {growth(value)} <span class="soft">of {count(companies)}</span>
    </>
  );
}

/** The latest fiscal years of the companies whose growth a group has, such as `2024 or 2025`. */
function yearsOf({ growth_from: from, growth_to: to }: Group): string | null {
  if (from === null || to === null) return null;
  if (from === to) return String(to);
  return to - from === 1 ? `${from} or ${to}` : `one of ${from}–${to}`;
}
