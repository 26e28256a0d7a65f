import { z } from 'zod';

import { DocumentedCount, usable, watchEnvelope } from './envelope.js';
import { Count, Id, PageNumber, PerPage, RequestDate, Text } from './scalars.js';
import { LEGACY_WATCH_FIELDS, WATCH_FIELDS } from './watch-fields.js';

/** A watch field in a request. Both current and earlier names are allowed. */
export const WatchFieldName = z.enum([...WATCH_FIELDS, ...LEGACY_WATCH_FIELDS]);
export type WatchFieldName = z.infer<typeof WatchFieldName>;

/**
 * Body of `POST /v2/companies/{id}/watch/start`. The reference does not say which fields are watched if `fields` is
 * left out.
 */
export const WatchStartRequest = z.strictObject({ fields: z.array(WatchFieldName).optional() });
export type WatchStartRequest = z.infer<typeof WatchStartRequest>;

/** Body of `PUT …/watch/fields/add` and `PUT …/watch/fields/remove`. */
export const WatchFieldsRequest = z.strictObject({ fields: z.array(WatchFieldName) });
export type WatchFieldsRequest = z.infer<typeof WatchFieldsRequest>;

/** Query of `GET /v2/companies/watch`. Dates are yyyy-mm-dd. */
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
  /** Text that may contain HTML tags for emphasis. */
  message: Text,
  /** ISO 8601, UTC. */
  date_created: z.string(),
  /** Name of the watch field that changed. */
  event_type: z.string(),
});
export type WatchEvent = z.infer<typeof WatchEvent>;

/** The documented answers of the two listings: watched companies and events. */
export const WatchListResponse = watchEnvelope(DocumentedCount, WatchedCompany);
export type WatchListResponse = z.infer<typeof WatchListResponse>;
export const WatchEventsResponse = watchEnvelope(DocumentedCount, WatchEvent);
export type WatchEventsResponse = z.infer<typeof WatchEventsResponse>;

/** A page of watched companies as the client returns it. An item without an id becomes null. */
export const WatchListPage = watchEnvelope(Count, usable(WatchedCompany));
export type WatchListPage = z.infer<typeof WatchListPage>;

/** A page of events as the client returns it. An item that is not an object becomes null. */
export const WatchEventsPage = watchEnvelope(Count, usable(WatchEvent.partial()));
export type WatchEventsPage = z.infer<typeof WatchEventsPage>;

/** Answer to a request that reads or changes a company's watched fields: the names of these fields. */
export const WatchFieldsResponse = z.array(z.string());
export type WatchFieldsResponse = z.infer<typeof WatchFieldsResponse>;

/** Body of `PUT /v2/companies/watch/callback`. */
export const WatchCallbackRequest = z.strictObject({ callback: z.url({ protocol: /^https?$/ }) });
export type WatchCallbackRequest = z.infer<typeof WatchCallbackRequest>;

/**
 * The callback's address, and the `secret` that signs deliveries. The API creates the secret with the first callback
 * and does not change it later. Both are null when no callback is set.
 */
export const WatchCallback = z.looseObject({ callback: Text, secret: Text });
export type WatchCallback = z.infer<typeof WatchCallback>;

/**
 * Header with the signature of a delivery: the hex HMAC-SHA256 of its raw body. The HMAC's key is the callback's
 * secret. The name is in lower case, as in Node's headers.
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
  /** `UPDATE` in the reference's example. */
  status: Text,
  /** The type depends on the field. The reference does not state the types. */
  new_value: z.unknown().optional(),
  old_value: z.unknown().optional(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;
