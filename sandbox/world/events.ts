import type { WatchField } from '../../schemas/v2/watch-fields.js';
import { yearOf } from './calendar.js';
import { forEachChange, HISTORY_START, KIND, readVersions, Versions, type Kind } from './changes.js';
import { cityNameOf, emailsOf, faxesOf, phonesOf, streetOf, websiteOf, zipOf } from './contacts.js';
import { statusName } from './company-record.js';
import type { Context } from './context.js';
import { FIGURE, figureOf, filedOn, fiscalYearsOf, restatementOf } from './finance.js';
import { nameOfVersion } from './names.js';
import { registrationNumberOfVersion, vatNumberOfVersion } from './registration.js';
import { TAG } from './tags.js';
import { employeesOf, foundedOn, statusOf, tradingOf } from './traits.js';

/** A change of a company, as a watch reports it to the customer. */
export interface CompanyEvent {
  field: WatchField;
  /** Unix day of the change. */
  day: number;
  /** Second within the day. */
  second: number;
  old: unknown;
  new: unknown;
}

const FIELD_OF_KIND: Partial<Record<Kind, WatchField>> = {
  [KIND.phone]: 'company.phone',
  [KIND.email]: 'company.email',
  [KIND.fax]: 'company.fax',
  [KIND.website]: 'company.website',
  [KIND.street]: 'company.address_street',
  [KIND.move]: 'company.address_street',
  [KIND.name]: 'company.name',
  [KIND.size]: 'company.employees_number',
  [KIND.status]: 'company.status',
  [KIND.vat]: 'company.vat',
  [KIND.registration]: 'company.registration_number',
};

/** Names in reports of the figures that can be restated. */
const FIGURE_NAMES = new Map<number, string>([
  [FIGURE.turnover, 'Turnover'],
  [FIGURE.profit, 'Profit-after-Tax'],
  [FIGURE.assets, 'Total-Assets'],
  [FIGURE.liabilities, 'Total-Liabilities'],
  [FIGURE.cash, 'Cash'],
]);

/**
 * Watch fields about people, offices and owners. They change independently of the company record. A company has about
 * one such event in 150 days.
 */
const SIDE_FIELDS: readonly WatchField[] = [
  'company.bank',
  'company.group_structure',
  'office.identity',
  'office.email',
  'office.fax',
  'office.phone',
  'office.website',
  'address.street',
  'shareholder.holding',
  'shareholder.holding_historical',
  'shareholder.exit_precise',
  'shareholder.exit_approximate',
  'shareholder.share_type',
  'shareholder.share_price',
  'employee.appointment',
  'employee.phone',
  'employee.email',
  'employee.resignation_date',
  'officer.appointment',
  'officer.phone',
  'officer.email',
  'officer.resignation_date',
];
const SIDE_EPOCH = 150;

/**
 * Returns the events of a company between two unix days, oldest first. Both `from` and `to` are included. Events and
 * records are derived from the same changes. So every change of a record has its event, also on past days.
 */
export function eventsOf(ctx: Context, index: number, from: number, to: number): CompanyEvent[] {
  const founded = foundedOn(ctx, index);
  const first = Math.max(from, HISTORY_START, founded === null ? HISTORY_START : founded + 1);
  const events: CompanyEvent[] = [];
  if (first > to) return events;
  const company = { ctx, index, founded };
  forEachChange(ctx, index, first, to, (kind, day, version) => {
    events.push(...eventsOfChange(company, { kind, day, version }));
  });
  for (let year = yearOf(first) - 2; year < yearOf(to); year++) {
    const day = filedOn(ctx, index, year);
    const years = fiscalYearsOf(ctx, index, day);
    if (day < first || day > to || years?.last !== year) continue;
    events.push(event(ctx, index, { field: 'company.financial', day, old: null, new: String(year) }));
  }
  addSideEvents(ctx, index, first, to, events);
  return events.toSorted((a, b) => a.day - b.day || a.second - b.second);
}

function eventsOfChange(
  { ctx, index, founded }: { ctx: Context; index: number; founded: number | null },
  { kind, day, version }: { kind: Kind; day: number; version: number },
): CompanyEvent[] {
  if (kind === KIND.restate) {
    const restated = restatementOf(ctx, index, day, version);
    if (restated === undefined) return [];
    const name = `${restated.year} ${FIGURE_NAMES.get(restated.figure)}`;
    const values = [day - 1, day].map((at) => {
      const versions = readVersions(ctx, index, founded, at, new Versions());
      return { [name]: figureOf(ctx, index, restated.figure, restated.year, versions) };
    });
    if (JSON.stringify(values[0]) === JSON.stringify(values[1])) return [];
    return [event(ctx, index, { field: 'company.financial', day, old: values[0], new: values[1] })];
  }
  const before = readVersions(ctx, index, founded, day - 1, new Versions());
  const after = readVersions(ctx, index, founded, day, new Versions());
  if (kind === KIND.trading) {
    const [old, now] = [tradingOf(ctx, index, before), tradingOf(ctx, index, after)];
    const flags = [
      ['company.trading_activity_import', 1],
      ['company.trading_activity_export', 2],
    ] as const;
    return flags
      .filter(([, bit]) => (old & bit) !== (now & bit))
      .map(([field, bit]) => event(ctx, index, { field, day, old: (old & bit) !== 0, new: (now & bit) !== 0 }));
  }
  const [old, now] = [valueOf(ctx, index, kind, before), valueOf(ctx, index, kind, after)];
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  return [event(ctx, index, { field: FIELD_OF_KIND[kind]!, day, old, new: now })];
}

/** Returns the value that an event shows; null if there is none. */
function valueOf(ctx: Context, index: number, kind: Kind, versions: Versions): unknown {
  const version = versions.get(kind);
  switch (kind) {
    case KIND.phone:
      return noneIfEmpty(phonesOf(ctx, index, version));
    case KIND.email:
      return noneIfEmpty(emailsOf(ctx, index, version));
    case KIND.fax:
      return faxesOf(ctx, index, version);
    case KIND.website:
      return websiteOf(ctx, index, version);
    case KIND.street:
    case KIND.move: {
      const place = [streetOf(ctx, index, versions), zipOf(ctx, index, versions), cityNameOf(ctx, index, versions)[0]];
      return place.filter((part) => part !== null).join(', ');
    }
    case KIND.name:
      return nameOfVersion(ctx, index, version);
    case KIND.size:
      return employeesOf(ctx, index, versions);
    case KIND.status:
      return statusName(statusOf(ctx, index, versions));
    case KIND.vat:
      return vatNumberOfVersion(ctx, index, version);
    case KIND.registration:
      return registrationNumberOfVersion(index, version);
    default:
      throw new Error(`a change of kind ${kind} has no single value`);
  }
}

function noneIfEmpty(list: string[]): string[] | null {
  return list.length === 0 ? null : list;
}

function addSideEvents(ctx: Context, index: number, from: number, to: number, events: CompanyEvent[]): void {
  const { dice } = ctx;
  for (let epoch = Math.floor((from - HISTORY_START) / SIDE_EPOCH); ; epoch++) {
    const day = HISTORY_START + epoch * SIDE_EPOCH + dice.below(SIDE_EPOCH, TAG.watchDay, index, epoch);
    if (HISTORY_START + epoch * SIDE_EPOCH > to) return;
    if (day < from || day > to) continue;
    const field = dice.pick(SIDE_FIELDS, TAG.watchKind, index, epoch);
    const detail = `ref ${dice.draw(TAG.eventDetail, index, epoch).toString(36)}`;
    const added = /appointment|holding|identity|resignation|exit|share_type/.test(field);
    const told = (what: string): CompanyEvent =>
      event(ctx, index, { field, day, old: added ? null : `${what} (before)`, new: what });
    events.push(told(detail));
    const { eventTwins = 'none' } = ctx.options;
    if (eventTwins !== 'none') events.push(told(eventTwins === 'alike' ? detail : `${detail}, second`));
  }
}

function event(ctx: Context, index: number, change: Omit<CompanyEvent, 'second'>): CompanyEvent {
  const { field, day, old, new: now } = change;
  // Include the field name, so that two events of one company and day have different seconds.
  let salt = 0;
  for (let n = 0; n < field.length; n++) salt = (salt * 31 + field.charCodeAt(n)) % 1000;
  return { field, day, second: ctx.dice.below(86_400, TAG.eventTime, index, day * 1000 + salt), old, new: now };
}
