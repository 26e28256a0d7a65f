import { z } from 'zod';

import { RequestDateTime } from './scalars.js';

/** One usage metric: `used` of `total`. */
export const Metric = z.looseObject({
  name: z.string().nullish(),
  codename: z.string(),
  used: z.number(),
  total: z.number(),
});
export type Metric = z.infer<typeof Metric>;

/** A group of usage metrics. */
export const MetricGroup = z.looseObject({
  name: z.string().nullish(),
  codename: z.string(),
  metrics: z.array(Metric),
});
export type MetricGroup = z.infer<typeof MetricGroup>;

/** The documented answer of `GET /v2/metrics` (section "Metrics"). */
export const MetricsResponse = z.array(MetricGroup);
export type MetricsResponse = z.infer<typeof MetricsResponse>;

/** A number that may be sent as text. Null is read as 0. A `total` of 0 means that the API gives no figure. */
const figure = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/)])
  .nullish()
  .transform((value) => Number(value ?? 0));
const label = z.string().nullish();

/** The usage metrics with only the fields that the client needs. */
export const MetricsReading = z.array(
  z.looseObject({
    name: label,
    codename: label,
    metrics: z
      .array(z.looseObject({ name: label, codename: label, used: figure, total: figure }))
      .nullish()
      .transform((metrics) => metrics ?? []),
  }),
);
export type MetricsReading = z.infer<typeof MetricsReading>;

/** Query of `GET /v2/metrics/contacts`. Both bounds are required. */
export const ContactMetricsQuery = z.strictObject({
  date_from: RequestDateTime,
  date_to: RequestDateTime,
});
export type ContactMetricsQuery = z.infer<typeof ContactMetricsQuery>;

/** The documented answer of `GET /v2/metrics/contacts`. */
export const ContactMetrics = z.looseObject({ email_count: z.int(), phone_count: z.int() });
export type ContactMetrics = z.infer<typeof ContactMetrics>;

/**
 * The contact metrics with only the fields that the client needs. Figures may be text or null, as in MetricsReading.
 */
export const ContactMetricsReading = z.looseObject({ email_count: figure, phone_count: figure });
export type ContactMetricsReading = z.infer<typeof ContactMetricsReading>;
