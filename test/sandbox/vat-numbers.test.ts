import { afterEach, describe, expect, it } from 'vitest';
import * as stdnum from 'stdnum';
import type { Company } from '../../schemas/v2/company.js';
import { createApiClient } from '../../src/api/index.js';
import { identify } from '../../src/crawl/streams/matches/identify.js';
import { scoreCandidates } from '../../src/crawl/streams/matches/score-candidates.js';
import { canonicalJson } from '../../src/base/json/canonical-json.js';
import { Routes } from '../../src/crawl/judge/routes.js';
import { startApp, type Running } from './running.js';

let app: Running;
afterEach(() => app?.close());

const RULES: Record<string, string> = {
  BE: 'vat',
  DE: 'vat',
  ES: 'nif',
  FI: 'alv',
  FR: 'tva',
  GB: 'vat',
  GR: 'vat',
  IE: 'vat',
  IT: 'iva',
  NL: 'btw',
  NO: 'mva',
  PL: 'nip',
  SE: 'vat',
};

/** Companies with a VAT number in the form of their country: at most two of each country. */
async function companies(vatNumbers: 'prefixed' | 'bare' | 'either'): Promise<Company[]> {
  app = await startApp({ vatNumbers, companies: 250 });
  const { world } = app.sandbox;
  const all = world.companyIds(0).map((id) => world.company(id, 0));
  const found = all.filter((one) => one !== undefined && one.vat_number && validIn(one)) as Company[];
  return found.filter(
    (one, i) => found.slice(0, i).filter((other) => other.country_code === one.country_code).length < 2,
  );
}

function validIn({ country_code, vat_number }: Company): boolean {
  const rule = stdnum.stdnum[country_code ?? '']?.[RULES[country_code ?? ''] ?? ''];
  const national = vat_number?.replace(/^(EL|[A-Z]{2})(?=.*\d)/, '') ?? '';
  return rule?.validate(national).isValid ?? false;
}

const bare = (number: string): string => number.replace(/^[A-Z]{2}(?=.*\d)/, '');
const full = ({ country_code, vat_number }: Company): string =>
  `${country_code === 'GR' ? 'EL' : country_code}${vat_number}`;

describe('VAT numbers in the forms of countries', () => {
  it('are valid in at least ten countries, also with a leading zero and with EL', async () => {
    const found = await companies('prefixed');
    expect(new Set(found.map(({ country_code }) => country_code)).size).toBeGreaterThanOrEqual(10);
    const numbers = found.map(({ vat_number }) => vat_number ?? '');
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.some((number) => /^BE0\d{9}$/.test(number))).toBe(true);
    expect(numbers.some((number) => /^EL0\d{8}$/.test(number))).toBe(true);
  });

  it.each(['prefixed', 'bare', 'either'] as const)('are found by the spellings of %s only', async (form) => {
    const [company] = (await companies(form)).filter(({ country_code }) => country_code === 'BE');
    const { vat_number, country_code, id } = company!;
    const ask = async (number: string) =>
      (await app.send<Company>('POST', '/v2/enrichment/company', { country_code, vat_number: number })).body.id;
    const national = form === 'bare' ? vat_number! : bare(vat_number!);
    const found = [await ask(`BE${national}`), await ask(national)].map(String);
    const has = [form !== 'bare', form !== 'prefixed'];
    expect(found).toEqual(has.map((is) => (is ? String(id) : 'undefined')));
    expect(String(await ask('BE0999999922'))).toBe('undefined');
  });

  it.each(['prefixed', 'bare'] as const)('are matched by tidemark in the other spelling: API %s', async (form) => {
    const list = await companies(form);
    const client = createApiClient({ baseUrl: app.url, apiKey: app.sandbox.options.key });
    try {
      for (const company of list) {
        const country_code = company.country_code!;
        const vat_number = form === 'bare' ? full(company) : bare(company.vat_number!);
        const question = canonicalJson({ country_code, vat_number });
        const before = app.sandbox.requests.report().total;
        const answers = await identify(client, question, new AbortController().signal, new Routes([]));
        const { company_id, state } = await scoreCandidates(question, answers);
        expect({ state, company_id }, question).toEqual({ state: 'matched', company_id: String(company.id) });
        expect(app.sandbox.requests.report().total - before).toBeLessThanOrEqual(3);
      }
    } finally {
      await client.close();
    }
  });
});
