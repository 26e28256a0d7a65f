import type { Id } from '../../../schemas/v2/scalars.js';
import {
  WatchCallback,
  WatchEventsPage,
  WatchFieldsResponse,
  WatchListPage,
  type WatchEvent,
  type WatchEventsQuery,
  type WatchListQuery,
  type WatchedCompany,
} from '../../../schemas/v2/watch.js';
import type { Caller } from '../caller.js';
import { listing, type Listing } from '../listing.js';
import type { ApiResponse, CallOptions, Documented } from '../options.js';
import { maybe, page, record } from '../route.js';

const route = {
  start: maybe('POST /v2/companies/{id}/watch/start'),
  stop: maybe('DELETE /v2/companies/{id}/watch/stop'),
  list: page('GET /v2/companies/watch', WatchListPage),
  events: page('GET /v2/companies/{id}/watch/events', WatchEventsPage),
  fields: page('GET /v2/companies/{id}/watch/fields', WatchFieldsResponse),
  addFields: page('PUT /v2/companies/{id}/watch/fields/add', WatchFieldsResponse),
  removeFields: page('PUT /v2/companies/{id}/watch/fields/remove', WatchFieldsResponse),
  setCallback: record('PUT /v2/companies/watch/callback', WatchCallback.partial()),
  getCallback: record('GET /v2/companies/watch/callback', WatchCallback.partial()),
} as const;

// An interface and not a type alias, because test/repo/routes.test.ts recognises each list by the name of its type.
export interface WatchList extends Listing<WatchListQuery, WatchListPage, WatchedCompany> {}

/**
 * Calls that manage the watched companies (reference v2, section "Watching"). The client may retry all nine, because
 * each one sets or reads a state: sending it twice has the same effect as once. Names of watched fields are sent
 * unchanged, whichever version they belong to (schemas/v2/watch-fields.ts).
 */
export interface WatchEndpoints {
  /**
   * Starts watching `fields` of a company. Without `fields`, the API chooses the fields. The API answers with status
   * 201; the reference does not show the body.
   */
  start(id: Id, fields?: readonly string[], call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Stops watching a company. May fail with NotFoundError if the company is no longer watched. */
  stop(id: Id, call?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Returns one page of the watched companies. An item without an id becomes null. */
  list: WatchList;
  /**
   * Returns one page of a company's events. `from_date` and `to_date` are yyyy-mm-dd.
   */
  events: EventListing;
  /** Returns the names of a company's watched fields. */
  fields(id: Id, call?: CallOptions): Promise<ApiResponse<WatchFieldsResponse>>;
  /** Adds fields and returns all watched fields. */
  addFields(id: Id, fields: readonly string[], call?: CallOptions): Promise<ApiResponse<WatchFieldsResponse>>;
  /** Removes fields and returns the fields still watched. */
  removeFields(id: Id, fields: readonly string[], call?: CallOptions): Promise<ApiResponse<WatchFieldsResponse>>;
  /**
   * Sets the address to which the API sends the account's events. The answer contains `secret`, which the API creates
   * once and never changes.
   */
  setCallback(callback: string, call?: CallOptions): Promise<ApiResponse<Documented<WatchCallback>>>;
  /** Returns the account's callback address. */
  getCallback(call?: CallOptions): Promise<ApiResponse<Documented<WatchCallback>>>;
}

type OneCompanysEvents = Listing<WatchEventsQuery, WatchEventsPage, Documented<WatchEvent>>;

/** The events of each company: like Listing, with the company's id as first argument. */
export interface EventListing {
  (id: Id, ...ask: Parameters<OneCompanysEvents>): ReturnType<OneCompanysEvents>;
  pages(id: Id, ...ask: Parameters<OneCompanysEvents['pages']>): ReturnType<OneCompanysEvents['pages']>;
  all(id: Id, ...ask: Parameters<OneCompanysEvents['all']>): ReturnType<OneCompanysEvents['all']>;
}

/** Creates the watch endpoints, which send their requests through `caller`. */
export function createWatchEndpoints(caller: Caller): WatchEndpoints {
  return {
    start: async (id, fields, call) => caller.call(route.start, { ids: [id], body: { fields } }, call),
    stop: async (id, call) => caller.call(route.stop, { ids: [id] }, call),
    list: listing(caller, route.list, (query) => ({ query })),
    events: createEventListing(caller),
    fields: async (id, call) => caller.call(route.fields, { ids: [id] }, call),
    addFields: async (id, fields, call) => caller.call(route.addFields, { ids: [id], body: { fields } }, call),
    removeFields: async (id, fields, call) => caller.call(route.removeFields, { ids: [id], body: { fields } }, call),
    setCallback: async (callback, call) => caller.call(route.setCallback, { body: { callback } }, call),
    getCallback: async (call) => caller.call(route.getCallback, {}, call),
  };
}

function createEventListing(caller: Caller): EventListing {
  const eventsOf = (id: Id): OneCompanysEvents => listing(caller, route.events, (query) => ({ ids: [id], query }));
  return Object.assign(async (id: Id, ...ask: Parameters<OneCompanysEvents>) => eventsOf(id)(...ask), {
    pages: (id: Id, ...ask: Parameters<OneCompanysEvents['pages']>) => eventsOf(id).pages(...ask),
    all: (id: Id, ...ask: Parameters<OneCompanysEvents['all']>) => eventsOf(id).all(...ask),
  });
}
