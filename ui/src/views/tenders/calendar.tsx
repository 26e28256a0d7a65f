import type { JSX } from 'preact';
import type { Cell } from '../../../../schemas/explorer/api.js';
import { Failure } from '../../components/basics.js';
import { useQuery } from '../../components/query-list.js';
import { cell, count } from '../../lib/format.js';
import { addMonths, isMonth, monthOf, nameMonth, weeksOf } from '../../lib/month.js';
import { Link, withParams } from '../../lib/router.js';
import { calendarQuery, tenderAddress, type TenderFilter } from '../../lib/tender-query.js';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

interface Day {
  tenders: number;
  first: { slug: string; title: string }[];
}

/** Deadlines of one month. Each day opens its list. */
export function Calendar({
  filter,
  asked,
  readOn,
}: {
  filter: TenderFilter;
  asked: string;
  readOn: string;
}): JSX.Element {
  const month = isMonth(asked) ? asked : monthOf(filter.from === '' ? readOn : filter.from);
  const { answer, error } = useQuery(calendarQuery(filter, month));
  const days = new Map((answer?.rows ?? []).map((row) => [cell(row[0]), toDay(row)]));
  const without = days.get('')?.tenders ?? 0;
  const total = [...days].reduce((sum, [day, { tenders }]) => (day === '' ? sum : sum + tenders), 0);
  return (
    <section aria-label="Calendar of deadlines">
      <div class="toolbar">
        <Link href={withParams({ month: addMonths(month, -1) })}>← {nameMonth(addMonths(month, -1))}</Link>
        <h2>{nameMonth(month)}</h2>
        <Link href={withParams({ month: addMonths(month, 1) })}>{nameMonth(addMonths(month, 1))} →</Link>
        <span class="spacer" />
        <span role="status" class="soft">
          {answer !== undefined &&
            `${count(total)} deadlines in this month; ${count(without)} tenders without a deadline`}
        </span>
      </div>
      {error !== undefined && <Failure error={error} />}
      <table class="calendar">
        <caption class="hidden">Deadlines in {nameMonth(month)}</caption>
        <thead>
          <tr>
            {DAYS.map((day) => (
              <th scope="col" key={day} abbr={day}>
                {day.slice(0, 3)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week, i) => (
            <tr key={i}>
              {week.map((day, j) =>
                day === null ? (
                  <td key={j} class="outside" />
                ) : (
                  <td key={j} class={day === readOn ? 'today' : undefined}>
                    <span class="day">{Number(day.slice(8))}</span>
                    <DayCell
                      day={day}
                      found={days.get(day)}
                      href={withParams({ from: day, to: day, show: null, month: null })}
                    />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function DayCell({ day, found, href }: { day: string; found: Day | undefined; href: string }): JSX.Element | null {
  if (found === undefined) return null;
  const more = found.tenders - found.first.length;
  return (
    <>
      <Link href={href} class="count" aria-label={`${count(found.tenders)} tenders on ${day}`}>
        {count(found.tenders)}
      </Link>
      <ul class="titles">
        {found.first.map(({ slug, title }) => (
          <li key={slug}>
            <Link href={tenderAddress(slug)} title={title}>
              {title || slug}
            </Link>
          </li>
        ))}
        {more > 0 && <li class="soft">and {count(more)} more</li>}
      </ul>
    </>
  );
}

function toDay(row: Cell[]): Day {
  const first = Array.isArray(row[2]) ? row[2] : [];
  return {
    tenders: Number(row[1]),
    first: first.map((one) => {
      const entry = typeof one === 'object' && one !== null && !Array.isArray(one) ? one : {};
      return { slug: cell(entry['slug']), title: cell(entry['title']) };
    }),
  };
}
