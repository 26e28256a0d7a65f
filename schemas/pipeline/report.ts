import { z } from 'zod';

/*
 * The facts that `tidemark report` shows and `tidemark report --json` prints. Instants are ISO 8601 in UTC, days are
 * YYYY-MM-DD.
 */

const count = z.number();
const text = z.string();
const maybe = text.nullable();

/** The published file and the data it was built from; one row. */
export const ReportFile = z.object({
  run: text,
  built_at: text,
  config_hash: maybe,
  parts: count,
  landed_rows: count,
});

/** One of a market's latest nights; the oldest comes first. `entered` and `left` are null when they are not proven. */
export const ReportNight = z.object({
  market: text,
  date: text,
  companies: count,
  active: count,
  entered: count.nullable(),
  left: count.nullable(),
  changed: count.nullable(),
  is_complete: z.boolean(),
  /** Whether neither companies nor records are missing. */
  is_whole: z.boolean(),
});
export type ReportNight = z.infer<typeof ReportNight>;

/** One of the latest runs; the newest comes first. */
export const ReportRun = z.object({
  run: text,
  workflow_id: text,
  type: text,
  market: maybe,
  date: text,
  started_at: text,
  seconds: count.nullable(),
  outcome: text,
  requests: count,
  rows: count,
  note: maybe,
  held_back: maybe,
  /** What is missing now, one sentence for each reason. */
  why: z.array(text),
  /** True for a partial run if later runs fetched everything that it missed. */
  is_mended: z.boolean(),
});
export type ReportRun = z.infer<typeof ReportRun>;

/** Coverage of a market's latest search. `classes` counts the companies by class of the certificate. */
export const ReportCoverage = z.object({
  market: text,
  run: text,
  date: text,
  reported_total: count,
  distinct_companies: count,
  missing: count,
  /** Null: unknown. */
  share: count.nullable(),
  classes: z.array(z.object({ class: text, found: count, missing: count })),
});
export type ReportCoverage = z.infer<typeof ReportCoverage>;

/** A gap of a market's latest search; the largest comes first. */
export const ReportGap = z.object({
  market: text,
  segment: text,
  filters: text,
  missing: count,
  class: text,
  reason: text,
  of: count,
});
export type ReportGap = z.infer<typeof ReportGap>;

/** Forecast and actual requests of one of the latest runs. */
export const ReportForecast = z.object({
  run: text,
  date: text,
  market: maybe,
  stream: text,
  forecast: count,
  actual: count.nullable(),
  basis: maybe,
});
export type ReportForecast = z.infer<typeof ReportForecast>;

/** Requests to one endpoint in the latest run of each kind. */
export const ReportRequests = z.object({
  workflow_id: text,
  endpoint: text,
  requests: count,
  errors: count,
  retries: count,
  bytes: count,
  p50_ms: count.nullable(),
  p99_ms: count.nullable(),
});
export type ReportRequests = z.infer<typeof ReportRequests>;

/** A reading of one of the API's usage metrics. The report has the latest 60 of each metric, oldest first. */
export const ReportQuota = z.object({ metric: text, used: count, total: count, read_at: text });
export type ReportQuota = z.infer<typeof ReportQuota>;

/** Members of a market's current night, counted by the age of their last answer. */
export const ReportFreshness = z.object({
  market: text,
  stream: text,
  /** Age of the answer in days when the file was built; null without an answer. */
  days: count.nullable(),
  companies: count,
});
export type ReportFreshness = z.infer<typeof ReportFreshness>;

/** Rejects of one stream, counted by reason. */
export const ReportReject = z.object({
  stream: text,
  reason: text,
  path: text,
  standing: count,
  resolved: count,
  last_seen: text,
});
export type ReportReject = z.infer<typeof ReportReject>;

/** Schema drift, as in ops.drift. */
export const ReportDrift = z.object({
  route: text,
  path: text,
  kind: text,
  type: maybe,
  expected: maybe,
  first_seen: text,
  last_seen: text,
  bodies: count,
  share: count,
  sample: maybe,
});
export type ReportDrift = z.infer<typeof ReportDrift>;

/** An audit that found rows. */
export const ReportCheck = z.object({ model: text, check: text, failing_rows: count, severity: text, at: text });
export type ReportCheck = z.infer<typeof ReportCheck>;

/** One published column of the data dictionary. */
export const ReportColumn = z.object({
  table: text,
  description: maybe,
  rows: count.nullable(),
  column: text,
  type: text,
  comment: maybe,
});

/** A published table with its columns. */
export const ReportTable = z.object({
  table: text,
  description: maybe,
  rows: count.nullable(),
  columns: z.array(
    z.object({
      name: text,
      type: text,
      comment: maybe,
      /** Where the column's values come from, for people; empty when unknown. */
      from: text,
    }),
  ),
});
export type ReportTable = z.infer<typeof ReportTable>;

/** Everything `tidemark report` shows. */
export const ReportFacts = z.object({
  version: text,
  generated_at: text,
  file: ReportFile.nullable(),
  nights: z.array(ReportNight),
  runs: z.array(ReportRun),
  coverage: z.array(ReportCoverage),
  gaps: z.array(ReportGap),
  forecasts: z.array(ReportForecast),
  requests: z.array(ReportRequests),
  quota: z.array(ReportQuota),
  freshness: z.array(ReportFreshness),
  rejects: z.array(ReportReject),
  drift: z.array(ReportDrift),
  checks: z.array(ReportCheck),
  tables: z.array(ReportTable),
});
export type ReportFacts = z.infer<typeof ReportFacts>;
