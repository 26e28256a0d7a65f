/**
 * The allowed values of a cron field. The first item of `names` stands for the number `from`, the second for `from` +
 * 1, and so on.
 */
interface CronField {
  name: string;
  from: number;
  to: number;
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly CronField[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: MONTHS },
  { name: 'weekday', from: 0, to: 7, names: DAYS },
];

// Days of each month in a leap year.
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Words that Temporal accepts instead of the five fields, and the fields that they stand for. */
const WORDS: Record<string, string> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** The times that a cron line names. A day must match `days`, `months` and `weekdays` (0 is Sunday). All are sorted. */
export interface CronTimes {
  minutes: number[];
  hours: number[];
  days: number[];
  months: number[];
  weekdays: number[];
}

/**
 * Checks a cron line by Temporal's rules.
 * @returns what is wrong, as a part of a message; null when the line is valid
 */
export function cronFault(cron: string): string | null {
  const read = readCron(cron);
  return typeof read === 'string' ? read : null;
}

/** Writes a word such as `@daily` as five fields. Returns another line without needless spaces. */
export function cronFields(cron: string): string {
  const text = cron.trim();
  return WORDS[text] ?? text.replaceAll(/\s+/g, ' ');
}

/**
 * Reads a cron line by Temporal's rules. Temporal reads a sixth field as a year (not as seconds), and `#` as the start
 * of a comment. Lines with a sixth field or a `#` would run on unexpected days, so they are rejected.
 * @returns the times; if the line is invalid, what is wrong, as a part of a message
 */
export function readCron(cron: string): CronTimes | string {
  const text = cronFields(cron);
  if (text.startsWith('@')) return `${text} is unknown; use @hourly, @daily, @weekly, @monthly or @yearly`;
  if (/^(CRON_)?TZ=/.test(text)) return 'it names a time zone; use the key `timezone` for that';
  const parts = text.split(' ');
  if (parts.length !== FIELDS.length)
    return `it has ${parts.length} fields; it needs five fields: minute hour day month weekday`;
  const values: number[][] = [];
  for (const [i, field] of FIELDS.entries()) {
    const read = valuesOf(parts[i] ?? '', field);
    if (typeof read === 'string') return read;
    values.push(sorted(read));
  }
  const [minutes = [], hours = [], days = [], months = [], weekdays = []] = values;
  const comes = months.some((month) => days.some((day) => day <= (LONGEST[month - 1] ?? 0)));
  if (!comes) return `no day matches: none of its months has a day ${Math.min(...days)}`;
  return { minutes, hours, days, months, weekdays: sorted(weekdays.map((day) => day % 7)) };
}

function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}

/**
 * Returns all numbers that a field names. A field is `*`, `1`, `1-5`, `*\/15`, `mon-fri`, or a list of these. Returns a
 * message if the field is wrong.
 */
function valuesOf(text: string, field: CronField): number[] | string {
  const values: number[] = [];
  for (const part of text.split(',')) {
    const wrong = (why: string): string => `its ${field.name}, ${text}, ${why}`;
    const [span = '', step, ...more] = part.split('/');
    const [first = '', last, ...rest] = span.split('-');
    if (more.length > 0 || rest.length > 0) return wrong('cannot be read');
    const by = step === undefined ? 1 : numberOf(step);
    if (by === null || by < 1) return wrong('has a step that is not a number above 0');
    const from = span === '*' ? field.from : numberOf(first, field);
    const to =
      span === '*' ? field.to : last === undefined ? (step === undefined ? from : field.to) : numberOf(last, field);
    if (from === null || to === null) return wrong(`must contain ${described(field)}`);
    if (from < field.from || to > field.to) return wrong(`must be between ${field.from} and ${field.to}`);
    if (from > to) return wrong('has an end before its start');
    for (let value = from; value <= to; value += by) values.push(value);
  }
  return values;
}

function numberOf(text: string, field?: CronField): number | null {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = field?.names?.indexOf(text.toLowerCase()) ?? -1;
  return at === -1 ? null : (field?.from ?? 0) + at;
}

function described({ names }: CronField): string {
  return names === undefined ? 'numbers' : `numbers or names (${names[0]}, ${names[1]}, …)`;
}
