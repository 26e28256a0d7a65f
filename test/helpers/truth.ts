import { expect } from 'vitest';
import { createWorld, type World } from '../../sandbox/world/index.js';
import { TRUTH_TABLES } from '../../sandbox/world/truth.js';
import { TODAY } from './processes.js';
import type { Project } from './project.js';

/** Sandbox flags that determine the market, as in `startSandbox`. */
export interface MarketFlags {
  companies: number;
  tenders: number;
  seed?: number;
  date?: string;
}

export function truthOf({ companies, tenders, seed = 1, date = TODAY }: MarketFlags): World {
  return createWorld({ companies, tenders, seed, date });
}

/** Compares published companies and their financial values row for row with the sandbox. */
export async function expectMarketEqualsTruth(project: Project, flags: MarketFlags, day = 0): Promise<void> {
  const world = truthOf(flags);
  const ids = world.companyIds(day);
  expect(await project.query(COMPANIES)).toEqual(ids.map((id) => companyRow(world, id, day)));
  const values = ids.flatMap((id) => financialRows(world, id, day));
  expect(await project.query(FINANCIALS)).toEqual(values);
  const [members] = await project.query(
    'SELECT count(*)::INTEGER AS n FROM marts.market_members WHERE date = (SELECT max(date) FROM marts.market_members)',
  );
  expect(members).toEqual({ n: ids.length });
}

/** Compares published v1 values with the sandbox: for each year those of the latest report. */
export async function expectV1FinancialsEqualTruth(project: Project, flags: MarketFlags, day = 0): Promise<void> {
  type Value = { company_id: number; date: number; indicator: string; value: number | null; progress: number };
  const told = [...TRUTH_TABLES['financials_v1']!.rows(truthOf(flags), { from: 0, day })] as Value[];
  const latest = new Map<string, number>();
  const yearOf = ({ company_id, date }: Value): string => `${company_id} ${Math.floor(date / 10_000)}`;
  for (const row of told) latest.set(yearOf(row), Math.max(row.date, latest.get(yearOf(row)) ?? 0));
  const expected = told
    .filter((row) => row.value !== null && latest.get(yearOf(row)) === row.date)
    .map(
      ({ company_id, date, indicator, value, progress }) => `${company_id} ${date} ${indicator} ${value} ${progress}`,
    );
  expect(told.length).toBeGreaterThan(expected.length);
  const found = await project.query(
    `SELECT company_id::VARCHAR AS id, strftime(reported_date, '%Y%m%d') AS date, indicator, value_double AS value, progress
     FROM core.financials WHERE source = 'v1'`,
  );
  const rows = found.map(({ id, date, indicator, value, progress }) =>
    [id, date, indicator, value, progress].map(String).join(' '),
  );
  expect(rows.toSorted()).toEqual(expected.toSorted());
}

/** Compares tenders and their lists row for row. */
export async function expectTendersEqualTruth(project: Project, flags: MarketFlags, day = 0): Promise<void> {
  const world = truthOf(flags);
  const slugs = world.tenderSlugs(day).toSorted();
  expect(await project.query(TENDERS)).toEqual(slugs.map((slug) => tenderRow(world, slug, day)));
}

const EXECUTIVES = `
  SELECT executive_id::VARCHAR AS id, company_id::VARCHAR AS company, is_listed, company_name, seniority, department, function,
    nationality, title, first_name, last_name, gender, email, phone
  FROM core.executives ORDER BY executive_id`;

/** Compares published executives row for row with the sandbox. */
export async function expectExecutivesEqualTruth(project: Project, flags: MarketFlags, day = 0): Promise<void> {
  const text = (value: unknown): string | null =>
    typeof value === 'string' || typeof value === 'number' ? String(value).trim() || null : null;
  const texts = (value: unknown): string[] | null => (text(value) === null ? null : [text(value)!]);
  const rows = executivesOf(flags, day).map((row) => ({
    id: text(row['executive_id']),
    company: text(row['company_id']),
    is_listed: true,
    company_name: text(row['company_name']),
    seniority: texts(row['company_executive_seniority_level']),
    department: texts(row['company_executive_function']),
    function: text(row['function_original_name']),
    nationality: text(row['nationality']),
    title: text(row['title_name']),
    first_name: text(row['first_name']),
    last_name: text(row['last_name']),
    gender: text(row['gender']),
    email: text(row['contact_email']),
    phone: text(row['contact_phone']),
  }));
  expect(await project.query(EXECUTIVES)).toEqual(rows.toSorted((a, b) => Number(a.id) - Number(b.id)));
}

/** E-mail addresses and phone numbers of the market's people. */
export function personalMarkers(flags: MarketFlags, day = 0): string[] {
  return executivesOf(flags, day).flatMap((row) =>
    [row['contact_email'], row['contact_phone']].filter((value): value is string => typeof value === 'string'),
  );
}

function executivesOf(flags: MarketFlags, day: number): Record<string, unknown>[] {
  return [...TRUTH_TABLES['executives']!.rows(truthOf(flags), { from: day, day })] as Record<string, unknown>[];
}

const COMPANIES = `
  SELECT company_id::VARCHAR AS id, name, has_details, country_code, country_name, registration_number, vat_number, status,
    legal_form, website, coalesce(phones, []) AS phones, coalesce(emails, []) AS emails, coalesce(faxes, []) AS faxes,
    coalesce(brands, []) AS brands, address_street, address_location, address_city, country_region, zip_code, size_text,
    founding_date::VARCHAR AS founding_date, pronet, microblog, socialnet
  FROM core.companies ORDER BY company_id`;

function companyRow(world: World, id: number, day: number): Record<string, unknown> {
  const record = world.company(id, day);
  // Surrounding white space carries no information; staging removes it.
  const text = (value: string | number | null | undefined): string | null =>
    value === null || value === undefined ? null : String(value).trim() || null;
  const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  return {
    id: String(id),
    name: record ? text(record.name) : text(world.companyName(id, day)),
    has_details: record !== undefined,
    country_code: text(record?.country_code),
    country_name: text(record?.country_name),
    registration_number: text(record?.registration_number),
    vat_number: text(record?.vat_number),
    status: text(record?.status),
    legal_form: text(record?.company_legal_form),
    website: text(record?.company_website),
    phones: texts(record?.company_phone),
    emails: texts(record?.company_email),
    faxes: texts(record?.company_fax),
    brands: (text(record?.brands) ?? '')
      .split(',')
      .map((brand) => brand.trim())
      .filter((brand) => brand !== ''),
    address_street: text(record?.address_street),
    address_location: text(record?.address_location),
    address_city: text(record?.address_city),
    country_region: text(record?.country_region),
    zip_code: text(record?.zip_code),
    size_text: text(record?.size),
    founding_date: text(record?.founding_date),
    pronet: text(record?.pronet),
    microblog: text(record?.microblog),
    socialnet: text(record?.socialnet),
  };
}

const FINANCIALS = `
  SELECT company_id::VARCHAR AS id, fiscal_year::INTEGER AS year, indicator, value_double AS number, value_text AS text
  FROM core.financials WHERE source = 'v2' ORDER BY company_id, fiscal_year, indicator`;

/** A row per value that is not null. A number sent as text fills both columns. */
/** Values of a company's v2 report, as the warehouse holds them. */
export function financialRows(world: World, id: number, day: number): Record<string, unknown>[] {
  const years = Object.entries(world.financialReport(id, day) ?? {});
  return years
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .flatMap(([year, indicators]) =>
      Object.entries(indicators ?? {})
        .filter(([, value]) => value !== null && value !== undefined)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([indicator, value]) => ({
          id: String(id),
          year: Number(year),
          indicator,
          // JSON has no minus zero.
          number: typeof value === 'number' ? value + 0 : numberIn(indicator, String(value)),
          text: typeof value === 'string' ? value : null,
        })),
    );
}

const TEXT_INDICATORS = new Set([
  'Reported-Date',
  'Currency',
  'Company-Accounts-Status',
  'Consolidated-Accounts',
  'Share-of-Profit-in-Associates-or-Joint-Ventures',
]);

function numberIn(indicator: string, text: string): number | null {
  return !TEXT_INDICATORS.has(indicator) && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : null;
}

const TENDERS = `
  SELECT slug, title, status, project_type, type, announced_date::VARCHAR AS announced, deadline_date::VARCHAR AS deadline,
    announced_at::VARCHAR AS announced_at, deadline_at::VARCHAR AS deadline_at,
    coalesce(countries, []) AS countries, coalesce(industries, []) AS industries, description_html, logo,
    (SELECT coalesce(list(url ORDER BY position), []) FROM core.tender_attachments a WHERE a.slug = t.slug) AS attachments,
    (SELECT coalesce(list(kind || ':' || coalesce(name, '') || ':' || coalesce(contact_id::VARCHAR, '') ORDER BY position), [])
      FROM core.tender_contacts c WHERE c.slug = t.slug) AS contacts,
    (SELECT count(*)::INTEGER FROM core.tender_donors d WHERE d.slug = t.slug) AS donors
  FROM core.tenders t ORDER BY slug`;

function tenderRow(world: World, slug: string, day: number): Record<string, unknown> {
  const details = world.tender(slug, day);
  const summary = world.tenderSummary(slug, day);
  const contacts = details?.contacts as Record<string, { name?: string; id?: number }[] | undefined> | null | undefined;
  return {
    slug,
    title: details?.title,
    status: details?.status,
    project_type: summary?.project_type ?? null,
    type: details?.type ?? null,
    announced: String(details?.announced_date).slice(0, 10),
    deadline: details?.deadline_date?.slice(0, 10) ?? null,
    announced_at: details?.announced_date?.replace('T', ' ') ?? null,
    deadline_at: details?.deadline_date?.replace('T', ' ') ?? null,
    countries: details?.countries ?? [],
    industries: details?.industries ?? [],
    description_html: details?.description ?? null,
    logo: details?.logo ?? null,
    attachments: details?.attachments ?? [],
    contacts: ['mobile', 'name', 'email'].flatMap((kind) =>
      (contacts?.[kind] ?? []).map((c) => `${kind}:${c.name ?? ''}:${c.id ?? ''}`),
    ),
    donors: (details?.donors ?? []).length,
  };
}
