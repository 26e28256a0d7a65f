import { formatCount } from '../format.js';
import type { NamedCode } from './api.js';

/** What each prospecting filter limits, and the lookup list that names its codes. */
const FILTERS: Readonly<Record<string, { name: string; list?: string }>> = {
  company_status: { name: 'status', list: 'company_status' },
  legal_form: { name: 'legal form', list: 'ownership_types' },
  activity_type: { name: 'activity', list: 'activity_type' },
  location_countries: { name: 'country', list: 'countries' },
  industry_focus: { name: 'industry' },
  nace: { name: 'NACE' },
  company_incorporation: { name: 'founded' },
  number_of_employees: { name: 'employees' },
  financial_turnover: { name: 'turnover' },
};
/** More values of a filter are counted, not listed. */
const MOST_VALUES = 3;

/**
 * Writes the filters of a search for a person, such as `status Active (199), country Ireland (1213)`.
 * @param filters JSON, as the search sent them
 * @param codes names of the codes; a code without a name stays alone
 */
export function describeFilters(filters: string, codes: readonly NamedCode[]): string {
  const read = parse(filters);
  if (read === undefined) return filters;
  return (
    Object.entries(read)
      .map((filter) => describeFilter(filter, codes))
      .join(', ') || 'whole market'
  );
}

function describeFilter([key, value]: [string, unknown], codes: readonly NamedCode[]): string {
  const { name, list } = FILTERS[key] ?? { name: key.replaceAll('_', ' ') };
  const nameOf = (code: unknown): string => {
    if (code === null) return 'none stated';
    const known = list && codes.find((one) => one.list === list && plain(one.id) === plain(code))?.name;
    return known ? `${known} (${plain(code)})` : plain(code);
  };
  if (Array.isArray(value)) return `${name} ${listOf(value, nameOf)}`;
  if (typeof value !== 'object' || value === null) return `${name} ${nameOf(value)}`;
  const { gte, lte, include, ...rest } = value as Record<string, unknown>;
  const parts = [
    Array.isArray(include) ? listOf(include, nameOf) : '',
    gte !== undefined && lte !== undefined && gte !== lte ? `${plain(gte)} to ${plain(lte)}` : '',
    gte !== undefined && gte === lte ? plain(gte) : '',
    gte !== undefined && lte === undefined ? `from ${plain(gte)}` : '',
    gte === undefined && lte !== undefined ? `up to ${plain(lte)}` : '',
    Object.keys(rest).length > 0 ? plain(rest) : '',
  ];
  return [name, ...parts.filter((part) => part !== '')].join(' ');
}

function listOf(values: readonly unknown[], nameOf: (value: unknown) => string): string {
  const more = values.length - MOST_VALUES;
  // A list that is one longer is as short as the words for it.
  if (more <= 1) return values.map(nameOf).join(' or ');
  return `${values.slice(0, MOST_VALUES).map(nameOf).join(' or ')} or ${formatCount(more)} more`;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
