import { describe, expect, it } from 'vitest';
import { tenderWithoutContacts } from '../../../src/privacy/tender-contacts.js';
import { contactMarkers, writeContacts } from '../../stub/tender-contacts.js';

const TENDER = { slug: 'lot-1', title: 'Bridge', description: '<p>Bids</p>', donors: [{ donor: 'Fund' }], logo: null };

describe('tenderWithoutContacts', () => {
  it('keeps kind, type and id of each contact, and nothing that names a person', () => {
    const reduced = tenderWithoutContacts(JSON.stringify({ ...TENDER, ...writeContacts('lot-1') }));
    expect(JSON.parse(reduced)).toEqual({
      ...TENDER,
      contacts: {
        email: [{ id: '5', type: 'office' }],
        mobile: [{ type: 'office', id: 6 }, null],
        name: [{}],
        fax: '',
      },
      contact_person: '',
      signatories: [],
      lots: 3,
    });
    expect(contactMarkers('lot-1').filter((marker) => reduced.includes(marker))).toEqual([]);
  });

  it('returns a tender without contacts byte for byte', () => {
    const body = JSON.stringify({ ...TENDER, contacts: null }, null, 1);
    expect(tenderWithoutContacts(body)).toBe(body);
  });

  it('keeps digits of long ids, and no id that could be a name', () => {
    const contacts = '{"name":[{"id":9007199254740993},{"id":"Jan Novak"},{"id":"0012"}]}';
    expect(tenderWithoutContacts(`{"contacts":${contacts}}`)).toBe(
      '{"contacts":{"name":[{"id":9007199254740993},{},{"id":"0012"}]}}',
    );
  });

  it.each([
    ['a text', '"Jan Novak"', '""'],
    ['a number', '4588812', '0'],
    ['an array', '["Jan Novak"]', '[]'],
  ])('empties contacts that are %s, so that the load still rejects the type', (_, contacts, expected) => {
    expect(tenderWithoutContacts(`{"contacts":${contacts}}`)).toBe(`{"contacts":${expected}}`);
  });

  it('leaves out a field or kind of contact whose name could be the name of a person', () => {
    expect(tenderWithoutContacts('{"Jan Novak":1,"contacts":{"Jan Novak":[],"name":[]}}')).toBe(
      '{"contacts":{"name":[]}}',
    );
  });

  it('keeps a repeated key repeated, so that the load still rejects the tender', () => {
    expect(tenderWithoutContacts('{"contacts":"a","slug":"x","slug":"y"}')).toBe(
      '{"contacts":"","slug":"y","slug":"y"}',
    );
  });

  it('returns {} for a body that is no object', () => {
    expect(tenderWithoutContacts('["Jan Novak"]')).toBe('{}');
  });
});
