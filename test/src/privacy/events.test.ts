import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LEGACY_WATCH_FIELDS, WATCH_FIELDS } from '../../../schemas/v2/watch-fields.js';
import { deliveryWithoutPeople, eventsWithoutPeople, isAboutPeople } from '../../../src/privacy/events.js';
import { buildFrom, openTestWarehouse, temporaryDataDir } from '../../helpers/warehouse.js';

const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
const AT = '2026-11-01T10:00:00Z';
const item = (field: string, message: string, more: object = {}): object => ({
  event_type: field,
  date_created: AT,
  status: 'UPDATED',
  message,
  ...more,
});
const page = (...data: unknown[]): string => JSON.stringify({ data, total_results: data.length, pages: 1 });
const delivery = (field: string, value: unknown, more: object = {}): string =>
  JSON.stringify({
    company_data: { id: 1, name: 'Firm', registration_number: 'R1', country_code: 'DK', date: AT },
    field,
    status: 'UPDATE',
    old_value: null,
    new_value: value,
    ...more,
  });
const reduced = (body: string): Record<string, unknown> =>
  JSON.parse(deliveryWithoutPeople(body, fingerprint)) as never;

describe('fields about people', () => {
  it('are those of employees, officers and shareholders', () => {
    const names = [...WATCH_FIELDS, ...LEGACY_WATCH_FIELDS];
    expect(names.filter((name) => isAboutPeople(name)).toSorted()).toEqual(
      names.filter((name) => /^(employee|officer|shareholder)[._]/.test(name)).toSorted(),
    );
    expect(['', 'manager.name', 'xcompany.name', 'company'].filter((name) => !isAboutPeople(name))).toEqual([]);
  });

  it('are the same in SQL', async () => {
    const { db } = await openTestWarehouse(temporaryDataDir());
    for (const name of [...WATCH_FIELDS, ...LEGACY_WATCH_FIELDS, '', 'manager.name', ' company.name ', 'xcompany.a']) {
      const [row] = await db.rows<{ people: boolean }>('SELECT watch_about_people($name) AS people', { name });
      expect([name, row?.people]).toEqual([name, isAboutPeople(name)]);
    }
  });
});

describe('eventsWithoutPeople', () => {
  it('returns a page about companies byte for byte', () => {
    const body = page(item('company.status', 'Closed', { unlisted: 'x' }));
    expect(eventsWithoutPeople(body, fingerprint)).toBe(body);
  });

  it('removes message, values and unlisted fields of events about people, and leaves the others of the page', () => {
    const about = item('officer.appointment', 'Jan Novak', { old_value: null, new_value: { n: 'Jan' }, extra: 'Jan' });
    const other = item('company.status', 'Closed');
    const { data } = JSON.parse(eventsWithoutPeople(page(about, other, 'Jan'), fingerprint)) as { data: unknown[] };
    expect(data).toEqual([
      {
        event_type: 'officer.appointment',
        date_created: AT,
        status: 'UPDATED',
        message: null,
        old_value: null,
        new_value: null,
        tidemark_removed: expect.stringMatching(/^[0-9a-f]{8}$/),
      },
      other,
      null,
    ]);
  });

  it('removes the content of an event without a field, and keeps repeated keys repeated', () => {
    const body = `{"data":[{"message":"Jan"},{"event_type":"company.name","event_type":"x","message":"Jan"}]}`;
    expect(eventsWithoutPeople(body, fingerprint)).toMatch(
      /^\{"data":\[\{"message":null,"tidemark_removed":"\w+"\},\{"event_type":"x","message":null,"tidemark_removed":"(\w+)","tidemark_removed":"\1"\}\]\}$/,
    );
  });
});

describe('deliveryWithoutPeople', () => {
  it('returns a delivery about a company byte for byte', () => {
    const body = delivery('company.email', ['a@firm.example'], { unlisted: 1 });
    expect(deliveryWithoutPeople(body, fingerprint)).toBe(body);
  });

  it('keeps the company, field, status and time of a delivery about people', () => {
    const body = JSON.parse(delivery('employee.email', 'jan@firm.example', { person: { name: 'Jan' } })) as {
      company_data: object;
    };
    Object.assign(body.company_data, { contact: 'Jan' });
    expect(reduced(JSON.stringify(body))).toEqual({
      company_data: { id: 1, name: 'Firm', registration_number: 'R1', country_code: 'DK', date: AT },
      field: 'employee.email',
      status: 'UPDATE',
      old_value: null,
      new_value: null,
      tidemark_removed: expect.any(String),
    });
  });

  it('gives equal content the same fingerprint, whatever the order and the form of its values', () => {
    const one = reduced(delivery('officer.appointment', { name: 'Jan', share: 1, at: null }));
    const same = reduced(`{"new_value":{"share":1.0, "name":"\\u004aan"},"field":"officer.appointment"}`);
    const other = reduced(delivery('officer.appointment', { name: 'Jan', share: 2 }));
    expect(same['tidemark_removed']).toBe(one['tidemark_removed']);
    expect(other['tidemark_removed']).not.toBe(one['tidemark_removed']);
  });

  it('reduces a reduced delivery to itself', () => {
    const once = deliveryWithoutPeople(delivery('officer.appointment', 'Jan'), fingerprint);
    expect(deliveryWithoutPeople(once, fingerprint)).toBe(once);
  });

  it.each(['', '{"company_data": {"name": "Jan', '['.repeat(200_000), '"Jan"', '["Jan"]', '{"field":7,"Jan":"Jan"}'])(
    'keeps no text of a delivery that is unreadable (%#)',
    (body) => {
      expect(deliveryWithoutPeople(body, fingerprint)).not.toContain('Jan');
    },
  );
});

describe('events without personal data in the warehouse', () => {
  const poll = (at: string, ...data: object[]) =>
    ({ stream: 'watch_events', entity: '1', at, body: eventsWithoutPeople(page(...data), fingerprint) }) as const;
  const push = (at: string, body: string) => {
    const request = 'WEBHOOK /delivery';
    return {
      stream: 'watch_events',
      entity: '1',
      at,
      request,
      body: deliveryWithoutPeople(body, fingerprint),
    } as const;
  };

  it('stay two events if their content differs, and one if it repeats', async () => {
    const [ann, bo] = [item('officer.appointment', 'Ann'), item('officer.appointment', 'Bo')];
    const { db } = await buildFrom(
      [
        poll('2026-11-02T00:00:00Z', ann, bo),
        poll('2026-11-03T00:00:00Z', bo, ann),
        push('2026-11-01T11:00:00Z', delivery('officer.appointment', 'Ann')),
        push('2026-11-01T11:00:01Z', delivery('officer.appointment', 'Bo')),
        push('2026-11-01T11:00:02Z', delivery('officer.appointment', 'Ann')),
      ],
      false,
    );
    const id = '1/officer.appointment/2026-11-01T10:00:00Z';
    expect(
      await db.rows('SELECT event_id, received_via, message_text, new_value, extra FROM core.watch_events'),
    ).toEqual(
      [id, `${id}/2`].map((event_id) => ({
        event_id,
        received_via: 'both',
        message_text: null,
        new_value: null,
        extra: null,
      })),
    );
    expect(await db.rows('FROM ops.rejects')).toEqual([]);
    expect(await db.rows('FROM ops.drift')).toEqual([]);
  });

  it('are hidden if they were landed with their content', async () => {
    const body = page(item('officer.appointment', 'Ann', { new_value: 'Ann' }), item('company.status', 'Closed'));
    const answers = [{ stream: 'watch_events', entity: '1', body }] as const;
    const select = 'SELECT field, message_text, new_value FROM core.watch_events ORDER BY field';
    const shown = await buildFrom([...answers], true);
    expect((await shown.db.rows(select))[1]).toEqual({
      field: 'officer.appointment',
      message_text: 'Ann',
      new_value: 'Ann',
    });
    const hidden = await buildFrom([...answers], false);
    expect(await hidden.db.rows(select)).toEqual([
      { field: 'company.status', message_text: 'Closed', new_value: null },
      { field: 'officer.appointment', message_text: null, new_value: null },
    ]);
  });
});
