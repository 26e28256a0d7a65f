import type { WatchEvent } from '../schemas/v2/watch.js';
import { toInstant } from './world/calendar.js';
import type { CompanyEvent } from './world/index.js';

/** An event as the events list shows it. */
export function listedEvent(event: CompanyEvent): WatchEvent {
  return {
    status: statusOf(event),
    message: messageOf(event),
    date_created: toInstant(event.day, event.second),
    event_type: event.field,
  };
}

/** `UPDATED` is the reference's example; the other two are this sandbox's. */
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

/** Text of a value, safe inside markup. */
function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
