import { z } from 'zod';

/*
 * Values as the API sends them. Responses are read tolerantly: a field may be missing or null, an id is a number in one
 * place and text in another, unknown fields are kept. Requests are strict: a misspelt key is an error.
 */

/** An id in a response: number or text, both stand for the same thing. */
export const Id = z.union([z.int(), z.string().min(1)]);
export type Id = z.infer<typeof Id>;

/** Text in a response that may be missing or null. */
export const Text = z.string().nullish();

/** Text the reference calls "number or string" or that is a count in one answer and a band in another. */
export const TextOrNumber = z.union([z.string(), z.number()]).nullish();

/** Texts in a response; missing and null mean none. */
export const Texts = z.array(z.string()).nullish();

/** A count that steers the client (totals, pages): a whole number up to 2^53 - 1, also when it came as text. */
export const Count = z
  .union([z.int().min(0), z.string().regex(/^\d+$/)])
  .transform((value) => (typeof value === 'number' ? value : Number(value)))
  .refine((value) => Number.isSafeInteger(value), 'must be a whole number from 0 to 2^53 - 1');

/** `yyyy-mm-dd` in a request. */
export const RequestDate = z.iso.date();

/** `YYYY-MM-DD HH:MM:SS` in a request (v2 contact metrics); no zone is stated. */
export const RequestDateTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/, 'expected YYYY-MM-DD HH:MM:SS');

/** ISO 3166 alpha-2, upper or lower case. */
export const CountryCode = z.string().regex(/^[A-Za-z]{2}$/, 'expected a two-letter country code');

/** Page number in a request, from 1. */
export const PageNumber = z.int().min(1);

/** Rows per page in a request; default and maximum are mostly not stated by the reference. */
export const PerPage = z.int().min(1);

/** An address of the API's profile kinds in a request ("url" in the reference's tables). */
export const ProfileUrl = z.string().min(1);
