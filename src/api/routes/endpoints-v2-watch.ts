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
import type { CallOptions } from '../options.js';
import { maybe, page, record } from '../route.js';

const callbackOfAccount = WatchCallback.partial();

/**
 * Creates the calls that manage the watched companies (reference v2, section "Watching"). The client may retry all nine,
 * because each one sets or reads a state: sending it twice has the same effect as once. Names of watched fields are sent
 * unchanged, whichever version they belong to (schemas/v2/watch-fields.ts).
 */
export function createWatchEndpoints(caller: Caller) {
  return {
    /**
     * Starts watching `fields` of a company. Without `fields`, the API chooses the fields. The API answers with status
     * 201; the reference does not show the body.
     */
    start: async (id: Id, fields?: readonly string[], call?: CallOptions) =>
      caller.call(maybe('POST /v2/companies/{id}/watch/start'), { ids: [id], body: { fields } }, call),
    /** Stops watching a company. May fail with NotFoundError if the company is no longer watched. */
    stop: async (id: Id, call?: CallOptions) =>
      caller.call(maybe('DELETE /v2/companies/{id}/watch/stop'), { ids: [id] }, call),
    /** Returns one page of the watched companies. An item without an id becomes null. */
    list: listing(caller, page('GET /v2/companies/watch', WatchListPage), (query: WatchListQuery) => ({ query })),
    /** Returns one page of a company's events. `from_date` and `to_date` are yyyy-mm-dd. */
    events: listing(
      caller,
      page('GET /v2/companies/{id}/watch/events', WatchEventsPage),
      (id: Id, query: WatchEventsQuery) => ({ ids: [id], query }),
    ),
    /** Returns the names of a company's watched fields. */
    fields: async (id: Id, call?: CallOptions) =>
      caller.call(page('GET /v2/companies/{id}/watch/fields', WatchFieldsResponse), { ids: [id] }, call),
    /** Adds fields and returns all watched fields. */
    addFields: async (id: Id, fields: readonly string[], call?: CallOptions) =>
      caller.call(
        page('PUT /v2/companies/{id}/watch/fields/add', WatchFieldsResponse),
        { ids: [id], body: { fields } },
        call,
      ),
    /** Removes fields and returns the fields still watched. */
    removeFields: async (id: Id, fields: readonly string[], call?: CallOptions) =>
      caller.call(
        page('PUT /v2/companies/{id}/watch/fields/remove', WatchFieldsResponse),
        { ids: [id], body: { fields } },
        call,
      ),
    /**
     * Sets the address to which the API sends the account's events. The answer contains `secret`, which the API creates
     * once and never changes.
     */
    setCallback: async (callback: string, call?: CallOptions) =>
      caller.call(record('PUT /v2/companies/watch/callback', callbackOfAccount), { body: { callback } }, call),
    /** Returns the account's callback address. */
    getCallback: async (call?: CallOptions) =>
      caller.call(record('GET /v2/companies/watch/callback', callbackOfAccount), {}, call),
  };
}
