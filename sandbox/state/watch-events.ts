import { CURRENT_WATCH_FIELD, type LegacyWatchField } from '../../schemas/v2/watch-fields.js';
import type { WatchEvent, WebhookDelivery } from '../../schemas/v2/watch.js';
import type { Watch } from './watches.js';
import { toInstant } from '../world/calendar.js';
import { indexOf } from '../world/membership.js';
import { nameOf } from '../world/names.js';
import { registrationNumberOf } from '../world/registration.js';
import { marketCountryOf } from '../world/traits.js';
import type { CompanyEvent, World } from '../world/index.js';

/** Returns the current name of a watch field. `field` may be an earlier name. */
export function currentName(field: string): string {
  return CURRENT_WATCH_FIELD[field as LegacyWatchField] ?? field;
}

/** Returns the events of a watched company on its watched fields, oldest first. Both days are included. */
export function watchedEvents(world: World, watch: Watch, fromDay: number, toDay: number): CompanyEvent[] {
  const watched = new Set(watch.fields.map(currentName));
  return (world.events(watch.id, fromDay, toDay) ?? []).filter(({ field }) => watched.has(field));
}

/** Returns the event as the body of a webhook delivery (section "Events" of the reference). */
export function deliveryOf(world: World, id: number, event: CompanyEvent): WebhookDelivery {
  const index = indexOf(world.ctx, id)!;
  const versions = world.versionsOf(index, event.day - world.ctx.start);
  return {
    company_data: {
      id,
      name: nameOf(world.ctx, index, versions),
      registration_number: registrationNumberOf(index, versions),
      country_code: marketCountryOf(world.ctx, index).code,
      date: toInstant(event.day, event.second),
    },
    field: event.field,
    // The reference shows no other status.
    status: 'UPDATE',
    new_value: event.new,
    old_value: event.old,
  };
}

/** Returns the event as one item of the API's list of events. */
export function listedEvent(event: CompanyEvent): WatchEvent {
  return {
    status: statusOf(event),
    message: messageOf(event),
    date_created: toInstant(event.day, event.second),
    event_type: event.field,
  };
}

/** Returns the status of an event. The reference shows only `UPDATED`. The sandbox adds `ADDED` and `REMOVED`. */
function statusOf(event: CompanyEvent): string {
  if (event.old === null) return 'ADDED';
  return event.new === null ? 'REMOVED' : 'UPDATED';
}

function messageOf(event: CompanyEvent): string {
  const what = event.field.replace('.', ' ').replaceAll('_', ' ');
  if (event.old === null) return `The ${what} <b>${asText(event.new)}</b> was added`;
  if (event.new === null) return `The ${what} <b>${asText(event.old)}</b> was removed`;
  return `The ${what} was changed from <b>${asText(event.old)}</b> to <b>${asText(event.new)}</b>`;
}

/** Returns a value as text, escaped for HTML. */
function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
