import type { Id } from '../../../schemas/v2/scalars.js';
import {
  WatchCallback,
  WatchEventsPage,
  WatchFieldsResponse,
  WatchListPage,
  type WatchEventsQuery,
  type WatchListQuery,
} from '../../../schemas/v2/watch.js';
import type { Caller } from '../caller.js';
import { listing } from '../listing.js';
import { byId, inQuery, type RequestParts } from '../request.js';
import { maybe, page, record } from '../route.js';

const callbackOfAccount = WatchCallback.partial();

const withFields = (id: Id, fields: readonly string[]): RequestParts => ({ ids: [id], body: { fields } });

/**
 * Creates the calls that manage the watched companies (reference v2, section "Watching"). The client may retry all nine,
 * because each one sets or reads a state: sending it twice has the same effect as once. Names of watched fields are sent
 * unchanged, whichever version they belong to (schemas/v2/watch-fields.ts).
 */
export function createWatchEndpoints({ endpoint }: Caller) {
  return {
    /**
     * Starts watching `fields` of a company. Without `fields`, the API chooses the fields. The API answers with status
     * 201; the reference does not show the body.
     */
    start: endpoint(maybe('POST /v2/companies/{id}/watch/start'), (id: Id, fields?: readonly string[]) => ({
      ids: [id],
      body: { fields },
    })),
    /** Stops watching a company. May fail with NotFoundError if the company is no longer watched. */
    stop: endpoint(maybe('DELETE /v2/companies/{id}/watch/stop'), byId),
    /** Returns one page of the watched companies. An item without an id becomes null. */
    list: listing(endpoint, page('GET /v2/companies/watch', WatchListPage), inQuery<WatchListQuery>),
    /** Returns one page of a company's events. `from_date` and `to_date` are yyyy-mm-dd. */
    events: listing(
      endpoint,
      page('GET /v2/companies/{id}/watch/events', WatchEventsPage),
      (id: Id, query: WatchEventsQuery) => ({ ids: [id], query }),
    ),
    /** Returns the names of a company's watched fields. */
    fields: endpoint(page('GET /v2/companies/{id}/watch/fields', WatchFieldsResponse), byId),
    /** Adds fields and returns all watched fields. */
    addFields: endpoint(page('PUT /v2/companies/{id}/watch/fields/add', WatchFieldsResponse), withFields),
    /** Removes fields and returns the fields still watched. */
    removeFields: endpoint(page('PUT /v2/companies/{id}/watch/fields/remove', WatchFieldsResponse), withFields),
    /**
     * Sets the address to which the API sends the account's events. The answer contains `secret`, which the API creates
     * once and never changes.
     */
    setCallback: endpoint(record('PUT /v2/companies/watch/callback', callbackOfAccount), (callback: string) => ({
      body: { callback },
    })),
    /** Returns the account's callback address. */
    getCallback: endpoint(record('GET /v2/companies/watch/callback', callbackOfAccount)),
  };
}
