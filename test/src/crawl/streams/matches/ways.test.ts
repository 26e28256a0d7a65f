import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompanyQuestion } from '../../../../../schemas/pipeline/resolve.js';
import { domainOf } from '../../../../../src/base/identifiers/email.js';
import { COMPANIES } from '../../../../../src/crawl/streams/matches/read-questions.js';
import { waysToFind } from '../../../../../src/crawl/streams/matches/ways.js';

const publicDomains = createRequire(import.meta.url)('email-providers/common.json') as string[];
const FIELDS = Object.keys(COMPANIES.fields) as (keyof CompanyQuestion)[];
const questions = fc
  .record(Object.fromEntries(FIELDS.map((field) => [field, fc.string({ minLength: 1, unit: 'grapheme' })])), {
    requiredKeys: [],
  })
  .map((question) => question as CompanyQuestion);
const kinds = (question: CompanyQuestion): string[] => waysToFind(question).map(({ kind }) => kind);

describe('normalized values', () => {
  it.each(FIELDS)('do not change when they are normalized again: %s', (field) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const { normalize } = COMPANIES.fields[field];
        const once = normalize(value);
        expect(normalize(once)).toBe(once);
      }),
    );
  });

  it.each(FIELDS)('do not depend on spaces around them: %s', (field) => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(' ', '\t', '\n '), (value, space) => {
        const { normalize } = COMPANIES.fields[field];
        expect(normalize(`${space}${value}${space}`)).toBe(normalize(value));
      }),
    );
  });
});

describe('waysToFind', () => {
  it('asks by register numbers first, and by a name only after all sure identifiers', () => {
    fc.assert(
      fc.property(questions, (question) => {
        const sure = waysToFind(question).filter(({ fallback }) => !fallback);
        const all = sure.map(({ kind }) => kind);
        if (all.includes('registration')) expect(all[0]).toBe('registration');
        const name = all.indexOf('name');
        if (name >= 0) expect(all.slice(name).every((kind) => kind === 'name')).toBe(true);
      }),
    );
  });

  it('finds a way for every question with an identifier', () => {
    const identifying = ['name', 'registration_number', 'vat_number', 'lei_number', 'ticker', 'website', 'profile'];
    fc.assert(
      fc.property(questions, (question) => {
        if (identifying.some((field) => field in question)) expect(waysToFind(question).length).toBeGreaterThan(0);
      }),
    );
  });

  it('takes the domain of an e-mail address for a website, except that of a public mail provider', () => {
    expect(kinds({ email: 'info@firm.example' })[0]).toBe('email');
    for (const domain of publicDomains.slice(0, 50)) expect(kinds({ email: `someone@${domain}` })).toEqual([]);
    expect(domainOf('Someone@WWW.Firm.example')).toBe('firm.example');
  });
});
