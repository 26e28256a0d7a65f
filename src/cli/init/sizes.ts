import { invalidInput } from '../../base/errors.js';

/** A range of the number of employees. `to` is null if there is no upper bound. */
export interface Size {
  name: string;
  from: number;
  to: number | null;
}

/** Size classes of the European Union. The API has no lookup list of sizes. */
export const SIZES: readonly Size[] = [
  { name: 'micro', from: 0, to: 9 },
  { name: 'small', from: 10, to: 49 },
  { name: 'medium', from: 50, to: 249 },
  { name: 'large', from: 250, to: null },
];

/** Filter `number_of_employees` (reference v2, section "Prospecting"). */
export type SizeFilter = { gte?: number; lte?: number };

/**
 * Reads a size: `small`, `20-99` or `500+`.
 * @throws TidemarkError `InvalidInput`
 */
export function parseSize(typed: string): Size {
  const named = SIZES.find(({ name }) => name === typed.trim().toLowerCase());
  if (named) return named;
  const range = /^(\d{1,9})(?:-(\d{1,9})|\+)$/.exec(typed.trim());
  const [from, to] = [Number(range?.[1]), range?.[2] === undefined ? null : Number(range[2])];
  if (range && (to === null || from <= to)) return { name: typed.trim(), from, to };
  throw invalidInput(
    `--size "${typed}" is not a size.`,
    `Write one of ${SIZES.map(({ name }) => name).join(', ')}, or a range such as 20-99 or 500+.`,
  );
}

/**
 * Joins sizes to one filter, because the API takes one range.
 * @returns null without sizes: companies of every size, also those without a known number of employees
 * @throws TidemarkError `InvalidInput` if the sizes leave a gap
 */
export function sizeFilter(sizes: readonly Size[]): SizeFilter | null {
  const [first, ...others] = sizes.toSorted((a, b) => a.from - b.from);
  if (first === undefined) return null;
  let { to } = first;
  for (const size of others) {
    if (to !== null && size.from > to + 1) {
      throw invalidInput(
        `The sizes leave a gap: nothing covers ${to + 1} to ${size.from - 1} employees.`,
        'The API takes one range. Choose sizes without a gap, or make two markets.',
      );
    }
    to = to === null || size.to === null ? null : Math.max(to, size.to);
  }
  return to === null ? { gte: first.from } : { ...(first.from > 0 ? { gte: first.from } : {}), lte: to };
}
