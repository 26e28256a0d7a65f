/** Returns the month of a day: `2026-11` of `2026-11-23`. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** Whether a text is a month, `YYYY-MM`. */
export function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

/** Returns the month some months later; earlier if `by` is negative. */
export function addMonths(month: string, by: number): string {
  const [year = 0, of = 1] = month.split('-').map(Number);
  const at = year * 12 + of - 1 + by;
  return `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}`;
}

/** Returns the weeks of a month, Monday first. A day of another month is null. */
export function weeksOf(month: string): (string | null)[][] {
  const first = Date.parse(`${month}-01T00:00:00Z`);
  const length = Math.round((Date.parse(`${addMonths(month, 1)}-01T00:00:00Z`) - first) / 86_400_000);
  const before = (new Date(first).getUTCDay() + 6) % 7;
  const days: (string | null)[] = Array.from<null>({ length: before }).fill(null);
  for (let day = 1; day <= length; day++) days.push(`${month}-${String(day).padStart(2, '0')}`);
  while (days.length % 7 > 0) days.push(null);
  return Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
}

/** Writes a month as `November 2026`. */
export function nameMonth(month: string): string {
  const format = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(`${month}-01T00:00:00Z`));
}

/** Returns the day some days later. */
export function addDays(day: string, by: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);
}
