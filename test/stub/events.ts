import { createHmac } from 'node:crypto';
import { writeId, type StubCompany } from './companies.js';
import { writeJson } from './json.js';
import type { StubEvent, StubState } from './state.js';

/** Older names of some fields, used by the list of events. */
const OLDER_NAMES: Record<string, string> = {
  'company.status': 'company_status',
  'company.financial': 'financial',
  'officer.resignation_date': 'officer_resignation_date',
};

/** An item of the list of events. */
export function writeListed(event: StubEvent): Record<string, unknown> {
  return {
    event_type: OLDER_NAMES[event.field] ?? event.field,
    date_created: event.at.replace(/Z$/, '.000Z'),
    message: event.message,
    status: 'UPDATED',
  };
}

export interface DeliveryForm {
  pretty?: boolean;
  reversed?: boolean;
  upperCase?: boolean;
}

/** The body of a delivery. */
export function writeDelivery(state: StubState, event: StubEvent, form: DeliveryForm = {}): string {
  const company = state.byId.get(event.companyId) as StubCompany;
  const body = {
    old_value: event.old,
    new_value: event.new,
    field: event.field,
    status: 'UPDATE',
    company_data: {
      date: event.at,
      country_code: company.country.code,
      registration_number: company.registration,
      name: company.name,
      id: writeId(company, state.options.ids, 0),
    },
  };
  return writeJson(body, form);
}

/** Sends a signed body to the callback or another address; returns the status. */
export async function deliver(
  state: Pick<StubState, 'callback' | 'secret'>,
  body: string,
  { to = state.callback ?? '', upperCase = false }: { to?: string; upperCase?: boolean } = {},
): Promise<number> {
  const signature = createHmac('sha256', state.secret).update(body, 'utf8').digest('hex');
  const response = await fetch(to, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-SVC-Signature': upperCase ? signature.toUpperCase() : signature,
    },
    body,
    signal: AbortSignal.timeout(10_000),
  });
  await response.arrayBuffer();
  return response.status;
}
