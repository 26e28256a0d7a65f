import { ownershipOf } from '../../sandbox/world/ownership.js';
import { indexOf } from '../../sandbox/world/membership.js';
import { TRUTH_TABLES } from '../../sandbox/world/truth.js';
import type { Company } from '../../schemas/v2/company.js';
import type { FinancialReport } from '../../schemas/v2/financial-report.js';
import {
  groupBy,
  LAST,
  membersOf,
  NIGHTS,
  NO_RATE,
  rateOf,
  watchedEvents,
  worldOf,
} from '../helpers/world-warehouse.js';

/*
 * The answers to the questions of docs/cookbook.md, computed from the sandbox's world. No answer uses SQL or a table.
 */

type Row = unknown[];

const world = worldOf();
const members = new Map(NIGHTS.map((day) => [day as number, membersOf(world, day)]));
const now = new Set(members.get(LAST));

/** One fiscal year of a company, as last reported. */
interface Year {
  year: number;
  currency: string;
  turnover: number | null;
  eur: number | null;
  usd: number | null;
  profit: number | null;
  profitEur: number | null;
  growth: number | null;
}

/** What the nights showed of a company. */
interface Known {
  id: number;
  name: string;
  record: Company | undefined;
  years: Year[];
  /** Latest year with a turnover. */
  latest: Year | undefined;
  industries: { code: number; name: string }[];
  employees: number | null;
}

const ids = [...new Set([...members.values()].flat())].toSorted((a, b) => a - b);
const known = ids.map(describeCompany);
const inMarket = known.filter(({ id }) => now.has(id));
const byId = new Map(known.map((company) => [company.id, company]));

function describeCompany(id: number): Known {
  const days = NIGHTS.filter((day) => members.get(day)!.includes(id));
  const read = days.filter((day) => world.company(id, day) !== undefined).at(-1);
  const record = read === undefined ? undefined : world.company(id, read);
  const years = read === undefined ? [] : yearsOf(world.financialReport(id, read) ?? {});
  return {
    id,
    name: (record?.name ?? world.companyName(id, days.at(-1)!))!,
    record,
    years,
    latest: years.filter(({ turnover }) => turnover !== null).at(-1),
    industries: (record?.industry ?? [])
      .map(({ id: code, value }) => ({ code: Number(code), name: String(value) }))
      .toSorted((a, b) => a.code - b.code),
    employees: lowerBound(record?.size),
  };
}

function yearsOf(report: FinancialReport): Year[] {
  const number = (value: unknown): number | null => (value === undefined || value === null ? null : Number(value));
  const years = Object.entries(report).map(([text, values]) => {
    const [year, currency] = [Number(text), String(values['Currency'])];
    const [turnover, profit] = [number(values['Turnover']), number(values['Profit-after-Tax'])];
    const eur = (value: number | null) => convert(value, currency, year);
    const usd = eur(turnover);
    return {
      year,
      currency,
      turnover,
      profit,
      eur: usd,
      profitEur: eur(profit),
      growth: null as number | null,
      usd: currency === 'USD' ? turnover : usd === null ? null : usd * rateOf('USD', year),
    };
  });
  years.sort((a, b) => a.year - b.year);
  for (const one of years) {
    const before = years.find(({ year, currency }) => year === one.year - 1 && currency === one.currency)?.turnover;
    if (before !== undefined && before !== null && before > 0 && one.turnover !== null)
      one.growth = one.turnover / before - 1;
  }
  return years;
}

function convert(value: number | null, currency: string, year: number): number | null {
  if (value === null || currency === NO_RATE) return null;
  return currency === 'EUR' ? value : value / rateOf(currency, year);
}

function lowerBound(size: unknown): number | null {
  const digits = typeof size === 'string' ? /\d+/.exec(size) : null;
  return digits === null ? null : Number(digits[0]);
}

/** Compares as `ORDER BY key DESC NULLS LAST, …` for numbers. */
function largest<V>(
  values: readonly V[],
  keyOf: (value: V) => number | null | undefined,
  then: (value: V) => number,
): V[] {
  return values.toSorted((a, b) => (keyOf(b) ?? -Infinity) - (keyOf(a) ?? -Infinity) || then(a) - then(b));
}

/** Counts by a key, as rows: the most frequent first, then by key. */
function mostFrequent(keys: readonly string[]): Row[] {
  return [...groupBy(keys, (key) => key)]
    .map(([key, all]): [string, number] => [key, all.length])
    .toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
}

const sorted = (rows: Row[], ...by: number[]): Row[] =>
  rows.toSorted((a, b) => {
    const at = by.find((column) => a[column] !== b[column]);
    return at === undefined ? 0 : (a[at] as string) < (b[at] as string) ? -1 : 1;
  });
const total = (values: readonly (number | null | undefined)[]): number | null => {
  const stated = values.filter((value) => typeof value === 'number');
  return stated.length === 0 ? null : stated.reduce((sum, value) => sum + value, 0);
};
const countOf = (values: readonly (number | null | undefined)[]): number =>
  values.filter((value) => typeof value === 'number').length;
const eurOf = ({ latest }: Known): number | null => latest?.eur ?? null;
const countryOf = ({ record }: Known): string | null => record?.country_code ?? null;
const dateOf = (day: number): string => world.dateOf(day);

/** Companies that left on a night: in the market on the night before, but not on this one. */
const moves = NIGHTS.slice(1).flatMap((day, i) => {
  const [before, after] = [members.get(NIGHTS[i]!)!, members.get(day)!];
  return [
    ...before.filter((id) => !after.includes(id)).map((id) => ({ kind: 'left', day, lastDay: NIGHTS[i]!, id })),
    ...after.filter((id) => !before.includes(id)).map((id) => ({ kind: 'entered', day, lastDay: null, id })),
  ];
});
const left = moves.filter(({ kind }) => kind === 'left');

function reasonOf({ id, day, lastDay }: (typeof moves)[number]): string {
  const events = watchedEvents(world).filter((one) => one.id === id && one.event.field === 'company.status');
  const statuses = events.filter(({ event }) => event.day - world.ctx.start <= LAST).map(({ event }) => event.new);
  const last = statuses.at(-1) ?? byId.get(id)?.record?.status;
  if (last !== undefined && last !== 'Active' && day <= LAST) return 'inactive';
  return world.company(id, lastDay!) === undefined ? 'gone' : 'unknown';
}

/** Quantile with linear interpolation, as `quantile_cont`. */
function quantile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  const at = (ordered.length - 1) * share;
  const [low, high] = [ordered[Math.floor(at)]!, ordered[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}

/** Each change of a turnover between two readings of a company. */
function restatedTurnovers(): { id: number; year: number; old: number; new: number }[] {
  return known.flatMap(({ id }) => {
    const reports = NIGHTS.filter((day) => members.get(day)!.includes(id)).flatMap((day) => {
      const report = world.financialReport(id, day);
      return report === undefined ? [] : [report];
    });
    return reports.slice(1).flatMap((report, i) =>
      yearsOf(reports[i]!).flatMap((before) => {
        const after = yearsOf(report).find(({ year }) => year === before.year)?.turnover ?? null;
        if (before.turnover === null || after === null || after === before.turnover) return [];
        return [{ id, year: before.year, old: before.turnover, new: after }];
      }),
    );
  });
}

const financialEvents = () => watchedEvents(world).filter(({ event }) => event.field === 'company.financial');

const openTenders = () => {
  const today = dateOf(LAST);
  return world
    .tenderSlugs(LAST)
    .map((slug) => world.tender(slug, LAST)!)
    .filter(
      ({ status, deadline_date: deadline }) =>
        !['Closed', 'Contract award'].includes(String(status)) && String(deadline).slice(0, 10) >= today,
    );
};

/** Answers by the number of the question. */
export const ANSWERS: Record<number, () => Row[]> = {
  1: () =>
    largest(inMarket, eurOf, ({ id }) => id)
      .slice(0, 10)
      .map((one) => [one.id, one.name, countryOf(one), one.latest?.year, eurOf(one)]),
  2: () =>
    largest(
      inMarket,
      ({ latest }) => latest?.profitEur,
      ({ id }) => id,
    )
      .slice(0, 10)
      .map(({ id, name, latest }) => [
        id,
        name,
        latest!.profitEur,
        latest!.turnover! > 0 ? latest!.profit! / latest!.turnover! : null,
      ]),
  3: () =>
    sorted(
      [...groupBy(inMarket, countryOf)].map(([country, all]) => [
        country,
        all.length,
        countOf(all.map(eurOf)),
        total(all.map(eurOf)),
      ]),
      0,
    ),
  4: () =>
    sorted(
      [
        ...groupBy(
          known.filter(({ latest }) => latest !== undefined && latest.eur === null),
          ({ latest }) => `${latest!.currency} ${latest!.year}`,
        ),
      ].map(([key, all]) => [key.slice(0, 3), Number(key.slice(4)), all.length]),
      0,
      1,
    ),
  5: () =>
    [2022, 2023, 2024].map((year) => {
      const usd = known.flatMap(({ years }) => years.filter((one) => one.year === year).map((one) => one.usd));
      return [year, 'USD', countOf(usd), total(usd)];
    }),
  6: () => mostFrequent(inMarket.map((one) => countryOf(one)!)),
  7: () => [['m', dateOf(LAST), 'complete', now.size, 0, null, 0, false, null]],
  8: () =>
    NIGHTS.map((day, i) => {
      const count = (kind: string) => moves.filter((move) => move.kind === kind && move.day === day).length;
      return [
        'm',
        dateOf(day),
        members.get(day)!.length,
        i === 0 ? null : count('entered'),
        i === 0 ? null : count('left'),
      ];
    }),
  9: () =>
    sorted(
      left.map((move) => [
        move.id,
        byId.get(move.id)!.name,
        countryOf(byId.get(move.id)!),
        dateOf(move.day),
        reasonOf(move),
        eurOf(byId.get(move.id)!),
      ]),
      3,
      0,
    ),
  10: () =>
    sorted(
      [...groupBy(left, ({ day }) => day)].map(([day, all]) => {
        const eur = all.map(({ id }) => eurOf(byId.get(id)!));
        return ['m', dateOf(day), all.length, countOf(eur), total(eur)];
      }),
      1,
    ),
  11: () =>
    sorted(
      moves
        .filter(({ kind, id }) => kind === 'entered' && (byId.get(id)!.employees ?? 0) >= 50)
        .map(({ id, day }) => [id, byId.get(id)!.name, dateOf(day), byId.get(id)!.employees]),
      2,
      0,
    ),
  12: () =>
    sorted(
      [...groupBy(members.get(1)!, (id) => countryOf(byId.get(id)!))].map(([country, all]) => [country, all.length]),
      0,
    ),
  13: () => {
    const classOf = ({ employees }: Known) =>
      employees === null
        ? '~'
        : employees < 10
          ? 'micro'
          : employees < 50
            ? 'small'
            : employees < 250
              ? 'medium'
              : 'large';
    return sorted(
      [...groupBy(inMarket, classOf)].map(([name, all]) => [name, all.length]),
      0,
    ).map(([name, n]) => [name === '~' ? null : name, n]);
  },
  14: () => mostFrequent(inMarket.map(({ record }) => String(record!.company_legal_form))).slice(0, 5),
  15: () =>
    [...groupBy(inMarket, ({ industries }) => industries[0]?.code ?? null)]
      .map(([code, all]) => [code, all[0]!.industries[0]?.name ?? null, all.length, total(all.map(eurOf))])
      .toSorted((a, b) => Number(b[2]) - Number(a[2]) || Number(a[0] ?? Infinity) - Number(b[0] ?? Infinity))
      .slice(0, 10),
  16: () => mostFrequent(inMarket.flatMap(({ industries }) => industries.map(({ name }) => name))).slice(0, 10),
  17: () => {
    const reports = known.flatMap((one) =>
      one.years.filter(({ year }) => year === 2024).map((year) => ({ one, year })),
    );
    const groups = groupBy(reports, ({ one }) => `${one.industries[0]?.code ?? ''} ${countryOf(one)}`);
    const rows = [...groups].map(([key, all]) => {
      const growth = all.map(({ year }) => year.growth).filter((value) => value !== null);
      return {
        code: Number(key.split(' ')[0]),
        country: key.split(' ')[1]!,
        name: all[0]!.one.industries[0]?.name ?? null,
        all,
        median: growth.length === 0 ? null : quantile(growth, 0.5),
      };
    });
    return rows
      .filter(({ all }) => countOf(all.map(({ year }) => year.turnover)) >= 3)
      .toSorted(
        (a, b) =>
          (b.median ?? -Infinity) - (a.median ?? -Infinity) || a.code - b.code || (a.country < b.country ? -1 : 1),
      )
      .slice(0, 10)
      .map(({ name, country, all, median }) => [name, country, all.length, median]);
  },
  18: () => {
    const rows = mostFrequent(
      inMarket.filter((one) => countryOf(one) === 'GB').map(({ record }) => record!.country_region ?? '\uffff'),
    );
    return rows.map(([region, n]) => [region === '\uffff' ? null : region, n]);
  },
  19: () =>
    largest(
      inMarket.filter((one) => (eurOf(one) ?? 0) >= 1e6),
      ({ latest }) => latest!.growth,
      ({ id }) => id,
    )
      .slice(0, 10)
      .map(({ id, name, latest }) => [id, name, latest!.year, latest!.growth]),
  20: () => {
    const values = known.flatMap((one) =>
      one.years
        .filter(({ year, eur }) => year === 2024 && eur !== null)
        .map(({ eur }) => ({ country: countryOf(one), eur: eur! })),
    );
    return sorted(
      [...groupBy(values, ({ country }) => country)].map(([country, all]) => [
        country,
        all.length,
        [0.25, 0.5, 0.75].map((share) =>
          quantile(
            all.map(({ eur }) => eur),
            share,
          ),
        ),
      ]),
      0,
    );
  },
  21: () => {
    const records = [0, 1].flatMap((day) =>
      members.get(day)!.flatMap((id) => ({ id, record: world.company(id, day) })),
    );
    const latest = new Map(
      records.flatMap(({ id, record }) => (record === undefined ? [] : [[id, String(record.status)] as const])),
    );
    return sorted(
      [...groupBy([...latest.values()], (status) => status)].map(([status, all]) => [status, all.length]),
      0,
    );
  },
  22: () => restatedTurnovers().map(({ id, year, old, new: after }) => [id, year, old, after]),
  23: () => {
    const rows = known.flatMap(({ id, years }) => {
      const day = [1, 0].find((one) => members.get(one)!.includes(id) && world.financialReport(id, one) !== undefined);
      if (day === undefined) return [];
      return yearsOf(world.financialReport(id, day)!).flatMap((then) => {
        const after = years.find(({ year }) => year === then.year);
        if (
          then.turnover === null ||
          after === undefined ||
          after.turnover === null ||
          after.turnover === then.turnover
        )
          return [];
        return [[id, then.year, then.turnover, after.turnover, after.currency]];
      });
    });
    return rows;
  },
  24: () =>
    known.flatMap(({ id }) => {
      const read = NIGHTS.filter((day) => members.get(day)!.includes(id)).flatMap((day) => {
        const record = world.company(id, day);
        return record === undefined ? [] : [{ day, name: record.name }];
      });
      return read
        .slice(1)
        .flatMap(({ day, name }, i) => (name === read[i]!.name ? [] : [[id, dateOf(day), read[i]!.name, name]]));
    }),
  25: () => {
    const events = watchedEvents(world);
    return mostFrequent(events.map(({ event }) => event.field)).map(([field, n]) => [
      field,
      n,
      new Set(events.filter(({ event }) => event.field === field).map(({ id }) => id)).size,
    ]);
  },
  26: () =>
    financialEvents().flatMap(({ id, event }) =>
      typeof event.new !== 'object' || event.new === null
        ? []
        : Object.entries(event.new as Record<string, number>).map(([item, value]) => {
            const [year, old] = [Number(item.slice(0, 4)), (event.old as Record<string, number>)[item]!];
            const currency = byId.get(id)!.years.find((one) => one.year === year)?.currency ?? null;
            return [id, year, item.slice(5), old, value, old > 0 ? value / old - 1 : null, currency];
          }),
    ),
  27: () => {
    const owners = [...now].flatMap((id) => {
      const { owners: of } = ownershipOf(world.ctx, indexOf(world.ctx, id)!, 25, false);
      return of.map(({ person_id: person, name }) => ({ person, name, id }));
    });
    return [...groupBy(owners, ({ person }) => person)]
      .map(([person, all]): [string, string, number] => [person, all[0]!.name, new Set(all.map(({ id }) => id)).size])
      .filter(([, , companies]) => companies > 1)
      .toSorted(([a, , many], [b, , few]) => few - many || (a < b ? -1 : 1));
  },
  28: () => {
    const people = [...TRUTH_TABLES['executives']!.rows(world, { from: 0, day: LAST })] as Record<string, unknown>[];
    const levels = people
      .filter(({ company_id: id }) => now.has(Number(id)))
      .map((one) => (one['company_executive_seniority_level'] as string | null) || '\uffff');
    return mostFrequent(levels).map(([level, n]) => [level === '\uffff' ? null : level, n]);
  },
  29: () =>
    sorted(
      openTenders().flatMap(({ slug, title, deadline_date: deadline }) => {
        const day = String(deadline).slice(0, 10);
        const days = (Date.parse(day) - Date.parse(dateOf(LAST))) / 86_400_000;
        return days <= 30 ? [[slug, title, day, days]] : [];
      }),
      2,
      0,
    ),
  30: () => mostFrequent(openTenders().flatMap(({ industries }) => industries ?? [])),
};
