import type { Context } from './context.js';
import { domainNameOf } from './contacts.js';
import { DEPARTMENTS, SENIORITY_LEVEL } from './data/nomenclatures.js';
import { FIRST_NAMES, JOB_TITLES, LAST_NAMES, TITLES } from './data/people.js';
import { TAG } from './tags.js';
import { firstEmployeesOf, marketCountryOf } from './traits.js';

/*
 * The people of a company: at most twelve are known. A person's *number* is 16 times the company's index plus the
 * person's place in the company. Like the ids of companies, the ids of people have gaps. People stay as long as their
 * company exists.
 */

const FIRST_ID = 70_000_001;
const ID_STEP = 5;
/** How many person numbers are reserved for each company. */
export const PLACES = 16;
const MOST = 12;

/** Returns the number of known people of a company. A fifth of the companies have none. Larger companies have more. */
export function peopleCountOf(ctx: Context, index: number): number {
  if (ctx.dice.chance(0.2, TAG.person, index)) return 0;
  const employees = firstEmployeesOf(ctx, index) ?? 3;
  return Math.min(MOST, 1 + Math.floor(Math.log2(employees + 1) * ctx.dice.unit(TAG.person, index, 1) * 1.6));
}

/** Returns the id under which the API shows a person. It is computed from the person's number. */
export function personIdOf(ctx: Context, number: number): number {
  return FIRST_ID + number * ID_STEP + ctx.dice.below(ID_STEP, TAG.personId, number);
}

/**
 * Returns the number of the person with an id of the API. Undefined for an unknown id. Does not check that the company
 * still exists.
 */
export function personNumberOf(ctx: Context, id: number): number | undefined {
  if (!Number.isSafeInteger(id) || id < FIRST_ID) return undefined;
  const number = Math.floor((id - FIRST_ID) / ID_STEP);
  const known = number % PLACES < peopleCountOf(ctx, companyOf(number)) && personIdOf(ctx, number) === id;
  return known ? number : undefined;
}

/** Returns the index of a person's company. */
export function companyOf(number: number): number {
  return Math.floor(number / PLACES);
}

/**
 * Returns the seniority as an id of the lookup list `seniority_level`. The first person of a company has a high level.
 */
export function seniorityOf(ctx: Context, number: number): number {
  if (number % PLACES === 0) return ctx.dice.pick([14, 18, 19, 15], TAG.personRole, number);
  return ctx.dice.pick([17, 17, 17, 16, 16, 20, 15, 21], TAG.personRole, number);
}

export function seniorityName(id: number): string {
  return SENIORITY_LEVEL.find((entry) => entry.id === id)!.name;
}

/**
 * Returns whether version 1 of the API knows the person's role. For 3 % of the people, it returns neither seniority nor
 * job title.
 */
export function hasKnownRole(ctx: Context, number: number): boolean {
  return !ctx.dice.chance(0.03, TAG.personRole, number, 3);
}

/** Returns the department as an id of the lookup list `departments`. It may be a child of department 833. */
export function departmentOf(ctx: Context, number: number): number {
  return ctx.dice.pick(DEPARTMENTS, TAG.personRole, number, 1).id;
}

export function departmentName(id: number): string {
  return DEPARTMENTS.find((entry) => entry.id === id)!.name;
}

export function jobTitleOf(ctx: Context, number: number): string {
  return ctx.dice.pick(JOB_TITLES[seniorityOf(ctx, number)]!, TAG.personRole, number, 2);
}

export function fullNameOf(ctx: Context, number: number): string {
  return `${firstNameOf(ctx, number).name} ${lastNameOf(ctx, number)}`;
}

export function firstNameOf(ctx: Context, number: number): (typeof FIRST_NAMES)[number] {
  return ctx.dice.pick(FIRST_NAMES, TAG.personName, number);
}

export function lastNameOf(ctx: Context, number: number): string {
  return ctx.dice.pick(LAST_NAMES, TAG.personName, number, 1);
}

/** Returns the second given name; null for 85 % of the people. */
export function patronymOf(ctx: Context, number: number): string | null {
  return ctx.dice.chance(0.15, TAG.personName, number, 2)
    ? ctx.dice.pick(FIRST_NAMES, TAG.personName, number, 3).name
    : null;
}

/** Returns the form of address; null for a third of the people. */
export function titleOf(ctx: Context, number: number): string | null {
  if (ctx.dice.chance(0.33, TAG.personName, number, 4)) return null;
  if (ctx.dice.chance(0.1, TAG.personName, number, 5)) return ctx.dice.pick(TITLES, TAG.personName, number, 6);
  return firstNameOf(ctx, number).gender === 'M' ? 'Mr' : 'Ms';
}

/** Returns the country code of the nationality: the company's country for 70 % of the people, null for 15 %. */
export function nationalityOf(ctx: Context, number: number): string | null {
  const draw = ctx.dice.unit(TAG.personName, number, 7);
  if (draw < 0.15) return null;
  return draw < 0.3
    ? ctx.dice.pick(['GB', 'DE', 'FR', 'DK', 'US'], TAG.personName, number, 8)
    : marketCountryOf(ctx, companyOf(number)).code;
}

/**
 * Returns the e-mail address; null for 40 % of the people. It contains the person's id in base 36, so that the person
 * can be found by the address.
 */
export function personEmailOf(ctx: Context, number: number): string | null {
  if (ctx.dice.chance(0.4, TAG.personContact, number)) return null;
  return `p${personIdOf(ctx, number).toString(36)}@${domainNameOf(ctx, companyOf(number))}.example`;
}

/** Returns the telephone number; null for 65 % of the people. */
export function personPhoneOf(ctx: Context, number: number): string | null {
  if (ctx.dice.chance(0.65, TAG.personContact, number, 1)) return null;
  const { dialing } = marketCountryOf(ctx, companyOf(number));
  return `+${dialing} 555 0${String(ctx.dice.below(1_000_000, TAG.personContact, number, 2)).padStart(6, '0')}`;
}

/** Returns the profile addresses [pronet, microblog, socialnet]. Each is null for many people. */
export function personProfilesOf(ctx: Context, number: number): [string | null, string | null, string | null] {
  const draw = ctx.dice.draw(TAG.personContact, number, 3);
  const name = `p-${personIdOf(ctx, number).toString(36)}`;
  return [
    draw % 100 < 55 ? `https://pronet.example/in/${name}` : null,
    (draw >>> 8) % 100 < 10 ? `https://microblog.example/${name}` : null,
    (draw >>> 16) % 100 < 20 ? `https://socialnet.example/${name}` : null,
  ];
}

/** Returns the number of the person to whom an e-mail or profile address belongs. Undefined for an unknown address. */
export function personByAddress(ctx: Context, text: string): number | undefined {
  const trimmed = text.trim().toLowerCase();
  const id36 = (/^p([0-9a-z]+)@/.exec(trimmed) ?? /\/p-([0-9a-z]+)\/?(?:[?#].*)?$/.exec(trimmed))?.[1];
  return id36 === undefined ? undefined : personNumberOf(ctx, Number.parseInt(id36, 36));
}
