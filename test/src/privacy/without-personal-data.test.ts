import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownersWithoutPersonalData } from '../../../src/privacy/without-personal-data.js';

function reduced(answer: unknown): unknown {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const { tidemark_removed: mark, answer: kept } = JSON.parse(ownersWithoutPersonalData(body)) as Record<
    string,
    unknown
  >;
  expect(mark).toBe('personal data');
  return kept;
}

describe('answers about owners without personal data', () => {
  it('keeps ids, shares, flags, countries and states', () => {
    const answer = {
      conclusive: false,
      job_id: 'ubo-17',
      status: 'in progress',
      created_at: '2026-11-20T02:00:00Z',
      threshold: 25,
      total: '2',
      owners: [{ person_id: '1000017', nationality: 'DK', sharePercent: '33,5 %', type: 'natural person', depth: 2 }],
    };
    expect(reduced(answer)).toEqual(answer);
  });

  it('removes names, births and unknown values of a person', () => {
    const person = {
      id: 7,
      name: 'Ada Berg',
      full_name: 'Ada Berg',
      birth_date: '1970-01-01',
      date: '1970-01-01',
      phone: 4_512_345,
      national_id: '0101701234',
      nationality: 'Danish of birth',
      status: 'Ada Berg',
      isPep: true,
      share: 'Ada',
      country: null,
    };
    expect(reduced({ owners: [person, 'Ada Berg'] })).toEqual({ owners: [{ id: 7, country: null }, null] });
  });

  it('keeps the name of a company only if the answer calls it a company', () => {
    const company = { name: 'Holding AB', registration_number: '55-7', share: 5 };
    expect(reduced({ owners: [{ ...company, type: 'Legal Entity' }] })).toEqual({
      owners: [{ ...company, type: 'Legal Entity' }],
    });
    expect(reduced({ company })).toEqual({ company });
    expect(reduced({ owners: [{ ...company, is_natural_person: false }] })).toMatchObject({
      owners: [{ name: 'Holding AB' }],
    });
    for (const item of [
      company,
      { ...company, type: 'person' },
      { ...company, type: 'company', kind: 'individual' },
      { ...company, type: 'trust' },
      { ...company, isPerson: true },
      { ...company, isCompany: false },
    ]) {
      expect(JSON.stringify(reduced({ owners: [item] }))).not.toMatch(/Holding|55-7/);
    }
  });

  it('replaces unknown keys and keeps only the structure below them', () => {
    const answer = { owners: { 'Ada Berg': { share: 60, of: [{ id: 5 }] }, Bo: [1, 'x'] }, 'Ada Berg': 60 };
    expect(reduced(answer)).toEqual({ owners: { _1: { of: [{}] }, _2: [null, null] } });
  });

  it('keeps the text of long numbers', () => {
    expect(ownersWithoutPersonalData('{"id":9107199254740993001}')).toContain('{"id":9107199254740993001}');
  });

  it('removes a text that is no JSON, and a plain value', () => {
    expect(reduced('Ada Berg')).toBeNull();
    expect(reduced('"Ada Berg"')).toBeNull();
  });

  it('reduces an answer that claims to be reduced', () => {
    const claimed = { tidemark_removed: 'personal data', answer: { name: 'Ada Berg', id: 5 } };
    expect(reduced(claimed)).toEqual({ id: 5 });
  });

  it('changes nothing when it reduces an answer again', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const once = ownersWithoutPersonalData(body);
        expect(ownersWithoutPersonalData(once)).toBe(once);
      }),
    );
  });

  it('lets no name pass, whatever the shape', () => {
    const name = 'Zaphod Quux';
    const key = fc.oneof(
      fc.constantFrom('name', 'owners', 'person', 'id', 'type', 'company', 'share', 'country', 'status', 'x', name),
      fc.string(),
    );
    // The type `person`, never `company`: only an item whose type is a company may keep its name.
    const leaf = fc.oneof(fc.constant(name), fc.integer(), fc.boolean(), fc.constant(null), fc.constant('person'));
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('node'), { maxLength: 4 }),
        fc.dictionary(key, tie('node'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(node, (answer) => {
        const body = JSON.stringify(answer).replaceAll('"company":', '"holder":');
        expect(ownersWithoutPersonalData(body)).not.toContain('Quux');
      }),
    );
  });
});
