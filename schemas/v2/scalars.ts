import { z } from 'zod';

/*
 * Values in the API's requests and answers. In answers, a field may be missing or null, an id may be a number or text,
 * and unknown fields are kept. Requests are strict: a misspelt key is an error.
 */

/** An id in an answer, as a number or as text. The number 7 and the text "7" are the same id. */
export const Id = z.union([z.int(), z.string().min(1)]);
export type Id = z.infer<typeof Id>;

/** Text in an answer; may be missing or null. */
export const Text = z.string().nullish();

/** Text or number. The reference says "number or string", or shows a count in one answer and a range in another. */
export const TextOrNumber = z.union([z.string(), z.number()]).nullish();

/** A list of texts in an answer. Missing and null both mean an empty list. */
export const Texts = z.array(z.string()).nullish();

/** A count that the client needs (totals, pages): a whole number up to 2^53 - 1, which may be sent as text. */
export const Count = z
  .union([z.int().min(0), z.string().regex(/^\d+$/)])
  .transform((value) => (typeof value === 'number' ? value : Number(value)))
  .refine((value) => Number.isSafeInteger(value), 'must be a whole number from 0 to 2^53 - 1');

/** `yyyy-mm-dd` in a request. */
export const RequestDate = z.iso.date();

/** `YYYY-MM-DD HH:MM:SS` in a request (v2 contact metrics). The reference states no time zone. */
export const RequestDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/, 'expected YYYY-MM-DD HH:MM:SS');

/** ISO 3166 alpha-2, upper or lower case. */
export const CountryCode = z.string().regex(/^[A-Za-z]{2}$/, 'expected a two-letter country code');

/** Page number in a request, from 1. */
export const PageNumber = z.int().min(1);

/** Rows per page in a request. For most routes, the reference states no default and no maximum. */
export const PerPage = z.int().min(1);

/** Address of a profile in a request. The reference's tables call its type "url". */
export const ProfileUrl = z.string().min(1);
