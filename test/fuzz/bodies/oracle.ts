import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../helpers/processes.js';
import { member, readTree, repeats, type Json } from './json-tree.js';

/*
 * The expected result of an answer, read from its body without the code under test. `rows` are exact; `rejects` are
 * paths that must be among the rejects.
 */
export interface Verdict {
  rows: string[];
  rejects: string[];
  /** Rows that may be there or not, because either reading of the fault is acceptable. */
  maybe?: string[];
}

export interface LandedCase {
  stream: string;
  entity: string | null;
  status: number;
  body: string;
}

/** The expected result of a landed answer. */
export function judge({ stream, entity, status, body }: LandedCase): Verdict {
  if (status === 404) return { rows: [], rejects: entity === null ? ['$'] : [] };
  if (status < 200 || status > 299) return { rows: [], rejects: ['$'] };
  const read = readTree(body);
  if (stream === 'financials') return judgeReport(entity ?? '', withBad(read, BAD_IN_REPORT));
  const doc = withBad(read, stream === 'financials_v1' ? BAD_IN_REPORT : { kind: 'word', raw: 'null' });
  if (repeats(doc)) return { rows: [], rejects: ['$'] };
  switch (stream) {
    case 'companies':
      return judgeCompany(entity ?? '', doc);
    case 'financials_v1':
      return judgeReports(entity ?? '', doc);
    case 'tender_details':
      return judgeDetails(entity ?? '', doc);
    case 'prospecting':
      return judgeItems(doc, (item) => mapped(idOf(member(item, 'id')), (id) => [`sighted ${id}`]));
    case 'tenders':
      return judgeItems(doc, (item) => mapped(textOf(member(item, 'slug')), (slug) => [`tender ${canonical(slug)}`]));
    case 'watched_companies':
      return judgeItems(doc, (item) => mapped(idOf(member(item, 'id')), (id) => [`watched ${id}`]));
    case 'watch_events':
      return judgeEvents(entity ?? '', doc);
    default:
      return judgeLists(entity ?? '', doc);
  }
}

/** A bad value of a report is rejected as a value of the wrong type. Elsewhere, it is rejected and counts as null. */
const BAD_IN_REPORT: Json = { kind: 'array', items: [{ kind: 'string', value: 'bad' }] };

/** Replaces bad values such as NaN. */
function withBad(tree: Json, bad: Json): Json {
  if (tree.kind === 'bad') return bad;
  if (tree.kind === 'array') return { ...tree, items: tree.items.map((item) => withBad(item, bad)) };
  if (tree.kind !== 'object') return tree;
  return { ...tree, entries: tree.entries.map(([key, value]) => [key, withBad(value, bad)]) };
}

const TEXTS: [key: string, column: string][] = [
  ['name', 'name'],
  ['registration_number', 'registration_number'],
  ['company_website', 'website'],
  ['company_legal_form', 'legal_form'],
  ['status', 'status'],
  ['address_street', 'address_street'],
  ['address_location', 'address_location'],
  ['address_city', 'address_city'],
  ['country_region', 'country_region'],
  ['zip_code', 'zip_code'],
  ['country_name', 'country_name'],
  ['size', 'size_text'],
  ['vat_number', 'vat_number'],
  ['pronet', 'pronet'],
  ['microblog', 'microblog'],
  ['socialnet', 'socialnet'],
];

/** Columns of core.companies that the oracle knows, in the order of a row's text. */
export const COMPANY_COLUMNS = [...TEXTS.map(([, column]) => column), 'founding_date', 'phones', 'emails', 'faxes'];

function judgeCompany(entity: string, doc: Json): Verdict {
  if (doc.kind !== 'object' || idOf(member(doc, 'id')) !== entity) return { rows: [], rejects: ['$'] };
  const rejects: string[] = [];
  const texts = TEXTS.map(([key]) => {
    const value = member(doc, key);
    if (isNested(value)) rejects.push(`$.${key}`);
    return textOf(value);
  });
  const founded = textOf(member(doc, 'founding_date'));
  if (isNested(member(doc, 'founding_date')) || (founded !== null && dayOf(founded) === null))
    rejects.push('$.founding_date');
  const lists = ['company_phone', 'company_email', 'company_fax'].map((key) => {
    const value = member(doc, key);
    const items = isNested(value) ? itemsOf(value) : null;
    if (value?.kind === 'object' && items === null) rejects.push(`$.${key}`);
    if (!isNested(value)) return listed(textOf(value), isNull(value) || isFalse(value));
    if (items === null || (value?.kind === 'object' && items.length === 0)) return null;
    items.forEach((item, i) => isNested(item) && rejects.push(`$.${key}[${i}]`));
    return items.flatMap((item) => textOf(item) ?? []);
  });
  const row = [...texts, mapped(founded, dayOf), ...lists];
  return { rows: [`company ${entity} ${cells(row)}`], rejects };
}

function listed(text: string | null, absent: boolean): string[] | null {
  return absent ? null : text === null ? [] : [text];
}

const KINDS = new Map(
  readFileSync(path.join(ROOT, 'sql', 'seeds', 'indicators.csv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(',') as [string, string]),
);
const YEAR = /^(1[89]|2[01])[0-9]{2}$/;
const NUMERIC = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$/;

function judgeReport(entity: string, doc: Json): Verdict {
  if (isBlankMap(doc)) return { rows: [], rejects: [] };
  if (doc.kind !== 'object') return { rows: [], rejects: ['$'] };
  const verdict: Verdict = { rows: [], rejects: [] };
  for (const [year, values] of doc.entries) {
    const twice = doc.entries.filter(([other]) => other === year).length > 1;
    if (!YEAR.test(year) || twice || (values.kind !== 'object' && !isBlank(values))) {
      verdict.rejects.push(pathOf(year));
    } else if (values.kind === 'object') {
      for (const indicator of new Set(values.entries.map(([key]) => key))) {
        const said = values.entries.filter(([key]) => key === indicator).map(([, value]) => value);
        judgeValue(verdict, { entity, of: year, indicator, path: `${pathOf(year)}.${quoted(indicator)}` }, said);
      }
    }
  }
  return verdict;
}

interface Place {
  entity: string;
  /** Year or day of the report. */
  of: string;
  indicator: string;
  path: string;
}

function judgeValue(verdict: Verdict, { entity, of, indicator, path: where }: Place, said: Json[]): void {
  const reject = (): void => void verdict.rejects.push(where);
  const [value] = said;
  if (value === undefined) return;
  // Equal values count once, also 1.5 and 1.50. If the values differ, none of them counts.
  if (said.length > 1 && new Set(said.map((each) => JSON.stringify(asWritten(each)))).size > 1) return reject();
  if (isNested(value)) return reject();
  if (isNull(value)) return;
  const isText = value.kind !== 'number';
  const text = textOf(asWritten(value));
  if (text === null) return;
  const number = isText && !NUMERIC.test(text) ? null : Number(text);
  const wantsText = (KINDS.get(indicator) ?? 'string') === 'string';
  if (number !== null && !Number.isFinite(number)) return reject();
  if (number === null && !wantsText) return reject();
  const shown = isText || KINDS.get(indicator) === 'string' ? text : null;
  verdict.rows.push(`value ${entity} ${of} ${cells([indicator, number, shown])}`);
}

/** A number as the warehouse writes it: 1.50 as 1.5, 1e3 as 1000.0. */
function asWritten(value: Json): Json {
  if (value.kind !== 'number' || !/[.eE]/.test(value.raw)) return value;
  const text = String(Number(value.raw)).replace('e+', 'e');
  return { kind: 'number', raw: /[.e]/.test(text) ? text : `${text}.0` };
}

function judgeReports(entity: string, doc: Json): Verdict {
  const reports = member(doc, 'reports');
  const owner = doc.kind === 'object' ? member(doc, 'companyId') : undefined;
  // A nested value is no name.
  const isOther = textOf(owner) !== null && idOf(owner) !== entity;
  if (isBlankMap(doc)) return { rows: [], rejects: [] };
  const items = itemsOf(reports);
  if (items === null || isOther) return { rows: [], rejects: ['$'] };
  const verdict: Verdict = { rows: [], rejects: [] };
  const days = items.map((item) => (item.kind === 'object' && !repeats(item) ? reportDay(member(item, 'date')) : null));
  items.forEach((item, i) => {
    const of = days[i] ?? null;
    const same = items.filter((_, other) => days[other] === of).map((other) => JSON.stringify(other));
    const indicators = member(item, 'indicators');
    const readable = indicators === undefined || isBlank(indicators) || indicators.kind === 'object';
    if (of === null || new Set(same).size > 1 || !readable) verdict.rejects.push(`$.reports[${i}]`);
    else judgeIndicators(verdict, { entity, of, path: `$.reports[${i}].indicators` }, indicators);
  });
  return { ...verdict, rows: [...new Set(verdict.rows)] };
}

function judgeIndicators(verdict: Verdict, report: Omit<Place, 'indicator'>, indicators: Json | undefined): void {
  const entries = indicators?.kind === 'object' ? indicators.entries.filter(([, item]) => !isEmpty(item)) : [];
  for (const indicator of new Set(entries.map(([key]) => key))) {
    const said = entries.filter(([key]) => key === indicator).map(([, item]) => item);
    const [item] = said;
    const where = `${report.path}.${quoted(indicator)}`;
    const differs = new Set(said.map((each) => JSON.stringify(each))).size > 1;
    if (item?.kind !== 'object' || repeats(item) || differs) {
      verdict.rejects.push(where);
      continue;
    }
    const value = member(item, 'value');
    if (value === undefined || isNull(value)) continue;
    judgeValue(verdict, { ...report, indicator, path: `${where}.value` }, [value]);
    const progress = member(item, 'progress');
    const isNothing = value.kind === 'string' && trimmed(value.value) === '';
    if (!isNothing && !isNull(progress) && !isNumeric(progress)) verdict.rejects.push(`${where}.progress`);
  }
}

function isNumeric(value: Json | undefined): boolean {
  const text = textOf(value);
  return text !== null && NUMERIC.test(text) && Number.isFinite(Number(text));
}

/** The day of a report: `yyyymmdd`, or text that begins with `yyyy-mm-dd`. */
function reportDay(value: Json | undefined): string | null {
  const text = textOf(value);
  if (text === null || !/^(1[89]|2[01])/.test(text)) return null;
  return dayOf(text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
}

function judgeItems(doc: Json, rowsOf: (item: Json) => string[] | null): Verdict {
  const items = itemsOf(member(doc, 'data'));
  if (items === null) return { rows: [], rejects: ['$'] };
  const verdict: Verdict = { rows: [], rejects: [] };
  items.forEach((item, i) => {
    const rows = repeats(item) ? null : rowsOf(item);
    if (rows === null) verdict.rejects.push(`$.data[${i}]`);
    else verdict.rows.push(...rows);
  });
  return verdict;
}

function judgeEvents(entity: string, doc: Json): Verdict {
  const verdict = judgeItems(doc, (item) => {
    const field = textOf(member(item, 'event_type'));
    const instant = textOf(member(item, 'date_created')) ?? '';
    const sure =
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(instant) &&
      dayOf(instant) !== null &&
      !Number.isNaN(Date.parse(instant));
    if (field === null || (!sure && dayOf(instant) === null)) return null;
    return [`event ${entity} ${canonical(field)}${sure ? '' : ' perhaps'}`];
  });
  const perhaps = verdict.rows.filter((row) => row.endsWith(' perhaps'));
  return {
    rows: verdict.rows.filter((row) => !row.endsWith(' perhaps')),
    rejects: verdict.rejects,
    maybe: perhaps.map((row) => row.replace(/ perhaps$/, '')),
  };
}

function judgeDetails(entity: string, doc: Json): Verdict {
  if (doc.kind !== 'object' || textOf(member(doc, 'slug')) !== entity) return { rows: [], rejects: ['$'] };
  const rejects = ['title', 'status', 'type', 'description', 'logo']
    .filter((key) => isNested(member(doc, key)))
    .map((key) => `$.${key}`);
  for (const key of ['announced_date', 'deadline_date']) {
    const text = textOf(member(doc, key));
    if (isNested(member(doc, key)) || (text !== null && dayOf(text) === null)) rejects.push(`$.${key}`);
  }
  const row = ['title', 'status', 'type', 'description'].map((key) => textOf(member(doc, key)));
  const days = ['announced_date', 'deadline_date'].map((key) => mapped(textOf(member(doc, key)), dayOf));
  return { rows: [`details ${entity} ${cells([...row, ...days])}`], rejects };
}

function judgeLists(entity: string, doc: Json): Verdict {
  const wrapped = member(doc, 'data');
  const inner = wrapped?.kind === 'array' || wrapped?.kind === 'object' ? wrapped : doc;
  if (inner.kind === 'array') return judgeList(entity, inner);
  if (inner.kind !== 'object') return { rows: [], rejects: ['$'] };
  const verdicts = inner.entries.filter(([, value]) => isNested(value)).map(([name, value]) => judgeList(name, value));
  return { rows: verdicts.flatMap(({ rows }) => rows), rejects: verdicts.flatMap(({ rejects }) => rejects) };
}

function judgeList(name: string, items: Json): Verdict {
  const row = (id: string | null): string[] => (id === null ? [] : [`listed ${JSON.stringify([name, id])}`]);
  if (items.kind === 'array')
    return { rows: items.items.flatMap((item) => row(repeats(item) ? null : idOf(member(item, 'id')))), rejects: [] };
  return {
    rows: items.kind === 'object' ? items.entries.flatMap(([key]) => row(idOf({ kind: 'string', value: key }))) : [],
    rejects: [],
  };
}

// ---- single values ----

function isNull(value: Json | undefined): boolean {
  return value === undefined || (value.kind === 'word' && value.raw === 'null');
}

function isFalse(value: Json | undefined): boolean {
  return value?.kind === 'word' && value.raw === 'false';
}

/** A plain value without content, or an empty array. */
function isEmpty(value: Json): boolean {
  if (isNull(value) || isFalse(value)) return true;
  return value.kind === 'string' ? value.value === '' : value.kind === 'array' && value.items.length === 0;
}

/** A value without content: null, false, empty text, `{}`, or arrays of these. */
function isBlank(value: Json): boolean {
  if (value.kind === 'string') return trimmed(value.value) === '';
  if (value.kind === 'array') return value.items.every(isBlank);
  return isNull(value) || isFalse(value) || (value.kind === 'object' && value.entries.length === 0);
}

function isBlankMap(doc: Json): boolean {
  const [only, ...others] = doc.kind === 'object' ? doc.entries : [];
  return isBlank(doc) || (only?.[0] === 'data' && others.length === 0 && isBlank(only[1]));
}

/** The items of an array, of a blank value, or of an object whose keys are different whole numbers. */
function itemsOf(value: Json | undefined): Json[] | null {
  if (value === undefined) return null;
  if (value.kind === 'array') return value.items;
  if (isBlank(value)) return [];
  const isList = value.kind === 'object' && !repeats(value) && value.entries.every(([key]) => /^[0-9]+$/.test(key));
  return isList ? value.entries.map(([, item]) => item) : null;
}

function isNested(value: Json | undefined): boolean {
  return value?.kind === 'object' || value?.kind === 'array';
}

function trimmed(text: string): string {
  return text.replaceAll(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
}

function textOf(value: Json | undefined): string | null {
  if (value === undefined || isNull(value) || isNested(value)) return null;
  if (value.kind === 'string') return trimmed(value.value) || null;
  return value.kind === 'number' || value.kind === 'word' ? value.raw : null;
}

/** A 64-bit integer in digits, or a JSON number with fraction or exponent that a double holds as an integer. */
function idOf(value: Json | undefined): string | null {
  const text = textOf(value);
  if (text === null) return null;
  if (/^-?[0-9]+$/.test(text)) return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? String(BigInt(text)) : null;
  const whole = value?.kind === 'number' ? Number(text) : Number.NaN;
  return Number.isSafeInteger(whole) ? String(BigInt(whole)) : null;
}

/** `YYYY-MM-DD` of a text that begins with a valid day. */
function dayOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d([T ][^\n]*)?$/.test(text) || text.startsWith('0000')) return null;
  const day = text.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === day ? day : null;
}

function mapped<In, Out>(value: In | null, make: (value: In) => Out): Out | null {
  return value === null ? null : make(value);
}

/** Joins cells to one text. */
export function cells(values: readonly unknown[]): string {
  return JSON.stringify(values.map(tell));
}

function tell(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tell);
  return typeof value === 'string' ? canonical(value) : value;
}

/**
 * Normalizes fractions and zero, because readers of JSON do not all keep their notation. Drops a leading byte order
 * mark, as the reader of results does.
 */
export function canonical(written: string): string {
  const text = written.replace(/^\ufeff/, '').replace(/^-0$/, '0');
  const isFraction = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text) && !/^-?[0-9]+$/.test(text);
  return isFraction ? `#${Number(text)}` : text;
}

/** The path of a key as rejects write it. */
export function pathOf(key: string): string {
  return `$.${quoted(key)}`;
}

function quoted(key: string): string {
  return `"${key.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
