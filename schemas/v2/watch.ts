import { z } from 'zod';

import { DocumentedCount, usable, watchEnvelope } from './envelope.js';
import { Count, Id, PageNumber, PerPage, RequestDate, Text } from './scalars.js';
import { LEGACY_WATCH_FIELDS, WATCH_FIELDS } from './watch-fields.js';

/** A watch field in a request, by today's or an earlier name. */
export const WatchFieldName = z.enum([...WATCH_FIELDS, ...LEGACY_WATCH_FIELDS]);
export type WatchFieldName = z.infer<typeof WatchFieldName>;

/**
 * Body of `POST /v2/companies/{id}/watch/start`; the reference does not say which fields are watched without `fields`.
 */
export const WatchStartRequest = z.strictObject({ fields: z.array(WatchFieldName).optional() });
export type WatchStartRequest = z.infer<typeof WatchStartRequest>;

/** Body of `PUT …/watch/fields/add` and `…/remove`. */
export const WatchFieldsRequest = z.strictObject({ fields: z.array(WatchFieldName) });
export type WatchFieldsRequest = z.infer<typeof WatchFieldsRequest>;

/** Query of `GET /v2/companies/watch`; dates are yyyy-mm-dd. */
export const WatchListQuery = z.strictObject({
  date: RequestDate.optional(),
  fields: z.array(WatchFieldName).optional(),
  page: PageNumber.optional(),
  per_page: PerPage.optional(),
});
export type WatchListQuery = z.infer<typeof WatchListQuery>;

/** Query of `GET /v2/companies/{id}/watch/events`. */
export const WatchEventsQuery = z.strictObject({
  from_date: RequestDate.optional(),
  to_date: RequestDate.optional(),
  fields: z.array(WatchFieldName).optional(),
  page: PageNumber.optional(),
  per_page: PerPage.optional(),
});
export type WatchEventsQuery = z.infer<typeof WatchEventsQuery>;

/** One watched company of the listing. */
export const WatchedCompany = z.looseObject({
  id: Id,
  name: Text,
  country_code: Text,
  registration_number: Text,
  /** yyyy-mm-dd. */
  date: Text,
  fields: z.array(z.string()).nullish(),
});
export type WatchedCompany = z.infer<typeof WatchedCompany>;

/** One watch event of a company. */
export const WatchEvent = z.looseObject({
  /** For example `UPDATED`. */
  status: Text,
  /** Text with HTML emphasis markup. */
  message: Text,
  /** ISO 8601, UTC. */
  date_created: z.string(),
  /** A watch field name. */
  event_type: z.string(),
});
export type WatchEvent = z.infer<typeof WatchEvent>;

/** The answers of the two listings as documented. */
export const WatchListResponse = watchEnvelope(DocumentedCount, WatchedCompany);
export type WatchListResponse = z.infer<typeof WatchListResponse>;
export const WatchEventsResponse = watchEnvelope(DocumentedCount, WatchEvent);
export type WatchEventsResponse = z.infer<typeof WatchEventsResponse>;

/** The fields that the client needs of a page of watched companies. An item without an id becomes null. */
export const WatchListPage = watchEnvelope(
  Count,
  usable(z.looseObject({ id: Id, fields: z.array(z.string()).nullish().catch(null) })),
);
export type WatchListPage = z.infer<typeof WatchListPage>;

/** The fields that the client needs of a page of events. An item that is not an object is null. */
export const WatchEventsPage = watchEnvelope(Count, usable(z.looseObject({})));
export type WatchEventsPage = z.infer<typeof WatchEventsPage>;

/** Answer to a request that reads or changes the watched fields of one company. */
export const WatchFieldsResponse = z.array(z.string());
export type WatchFieldsResponse = z.infer<typeof WatchFieldsResponse>;

/** Body of `PUT /v2/companies/watch/callback`. */
export const WatchCallbackRequest = z.strictObject({ callback: z.url({ protocol: /^https?$/ }) });
export type WatchCallbackRequest = z.infer<typeof WatchCallbackRequest>;

/**
 * The callback's address and the `secret` that signs deliveries. The secret is created with the first callback and does
 * not change. Null when no callback is set.
 */
export const WatchCallback = z.looseObject({ callback: Text, secret: Text });
export type WatchCallback = z.infer<typeof WatchCallback>;

/**
 * Header with the signature: the hex HMAC-SHA256 of a delivery's raw body, keyed with the callback's secret.
 * Lower case, as in Node's headers.
 */
export const SIGNATURE_HEADER = 'x-svc-signature';

/** Body of a webhook delivery (section "Events"). */
export const WebhookDelivery = z.looseObject({
  company_data: z.looseObject({
    id: Id,
    name: Text,
    registration_number: Text,
    country_code: Text,
    /** ISO 8601, UTC. */
    date: z.string(),
  }),
  field: z.string(),
  /** `UPDATE` in the documented shape. */
  status: Text,
  /** The type depends on the field; the reference does not state the types. */
  new_value: z.unknown().optional(),
  old_value: z.unknown().optional(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
