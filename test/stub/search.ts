import type { StubCompany } from './companies.js';
import type { StubOptions } from './options.js';

export type Filters = Record<string, unknown>;
type Test = (company: StubCompany) => boolean;

/** Companies that match, in the order of searches; or the name of the refused filter. */
export function search(
  companies: readonly StubCompany[],
  filters: Filters,
  options: Pick<StubOptions, 'incorporation'>,
): StubCompany[] | { refused: string } {
  const tests: Test[] = [];
  for (const [name, value] of Object.entries(filters)) {
    const test = testOf(name, value, options);
    if (test === null) return { refused: name };
    tests.push(test);
  }
  return companies.filter((company) => tests.every((test) => test(company))).toSorted((a, b) => a.place - b.place);
}

/** Null if refused. */
function testOf(name: string, value: unknown, { incorporation }: Pick<StubOptions, 'incorporation'>): Test | null {
  switch (name) {
    case 'company_status':
      return oneOf(value, ({ status }) => [status]);
    case 'legal_form':
      return oneOf(value, ({ form }) => [form]);
    case 'activity_type':
      return oneOf(value, ({ activities }) => activities);
    case 'company_incorporation':
      return between(value, incorporation, ({ founded }) => (founded === null ? null : Number(founded.slice(0, 4))));
    case 'number_of_employees':
      return between(value, 'inclusive', ({ employees }) => employees);
    // Accepted and ignored.
    case 'industry_focus':
      return () => true;
    default:
      return null;
  }
}

function oneOf(value: unknown, read: (company: StubCompany) => number[]): Test | null {
  if (!Array.isArray(value) || !value.every((item) => Number.isInteger(item))) return null;
  return (company) => read(company).some((own) => value.includes(own));
}

function between(
  value: unknown,
  end: StubOptions['incorporation'],
  read: (company: StubCompany) => number | null,
): Test | null {
  if (typeof value !== 'object' || value === null) return null;
  const { gte = -Infinity, lte = Infinity } = value as { gte?: unknown; lte?: unknown };
  const isBound = (bound: unknown): bound is number =>
    bound === Infinity || bound === -Infinity || Number.isInteger(bound);
  if (!isBound(gte) || !isBound(lte)) return null;
  return (company) => {
    const own = read(company);
    return own !== null && own >= gte && (end === 'inclusive' ? own <= lte : own < lte);
  };
}
