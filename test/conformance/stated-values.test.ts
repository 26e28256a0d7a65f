import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PAYEE_PROXY_SCHEMES, PayeeDecision } from '../../schemas/v2/payee.js';
import { COUNTRIES } from '../../sandbox/world/data/country-ids.js';
import { expectRefusal } from './error-shapes.js';
import { limits, nomenclatures, payeeRules, routeNamed } from './reference.js';
import { startConformance, type Answer, type Conformance, type Given } from './sandbox-calls.js';

let api: Conformance;
beforeAll(async () => {
  api = await startConformance();
});
afterAll(() => api.app.close());

interface Entry {
  id: number;
  name: string;
  parent_id?: number | null;
}

describe('lookup lists', () => {
  const lists = [
    ...Object.entries(nomenclatures.companies).flatMap(([list, values]) => [
      ['GET /v1/finder/nomenclatures', list, values] as const,
      ['POST /v1/finder/nomenclatures', list, values] as const,
    ]),
    ...Object.entries(nomenclatures.tenders).map(
      ([list, values]) => ['GET /v1/finder/tenders/nomenclatures', list, values] as const,
    ),
  ];
  it.each(lists)('serves exactly the stated values of %s: %s', async (route, list, values) => {
    const entries = ((await api.ask(route)).body as Record<string, Entry[]>)[list]!;
    expect(Object.fromEntries(entries.map(({ id, name }) => [String(id), name]))).toEqual(values);
    if (list !== 'departments') return;
    const below = entries.filter(({ parent_id }) => parent_id !== null);
    expect(Object.fromEntries(below.map(({ id, parent_id }) => [String(id), parent_id]))).toEqual(
      nomenclatures.parents,
    );
  });
});

describe('stated limits', () => {
  const maxima = limits.flatMap(({ limit, maximum, routes }) =>
    (routes ?? []).map((route) => [route, limit, maximum!] as const),
  );
  it.each(maxima)('accepts the stated maximum and nothing larger: %s %s', async (route, limit, maximum) => {
    const stated = routeNamed(route).parameters.find(({ name }) => name === limit)!;
    expect(stated.maximum).toBe(maximum);
    const given = api.calls[route]!;
    expect((await api.ask(route, { ...given, [limit]: maximum })).status).toBe(200);
    expectRefusal(await api.ask(route, { ...given, [limit]: maximum + 1 }), routeNamed(route), limit);
  });

  it('fills a page of company search up to the stated per_page', async () => {
    const { maximum } = limits.find(({ limit }) => limit === 'per_page')!;
    const { body } = await api.ask('POST /v2/overview', { per_page: maximum });
    expect((body as { data: unknown[] }).data).toHaveLength(maximum!);
  });

  it('counts daily usage up to its total, then answers the stated guard', async () => {
    const { reportedBy } = limits.find(({ limit }) => limit === 'usage')!;
    const { guard } = limits.find(({ limit }) => limit === 'daily browsing')!;
    await api.app.send('POST', '/_sandbox/quota', { dailyLimit: 2, used: 0 });
    const usage = async (): Promise<{ used: number; total: number }> =>
      ((await api.ask(reportedBy!)).body as { metrics: { used: number; total: number }[] }[])[0]!.metrics[0]!;
    for (let used = 0; used < 2; used++) {
      expect(await usage()).toMatchObject({ used, total: 2 });
      expect((await api.ask('GET /v2/companies/{id}', { id: api.id })).status).toBe(200);
    }
    expect(await usage()).toMatchObject({ used: 2, total: 2 });
    expect((await api.ask('GET /v2/companies/{id}', { id: api.id })).body).toMatchObject({ error_guard: guard });
    await api.app.send('POST', '/_sandbox/quota', { dailyLimit: 0, used: 0 });
  });
});

describe('payee checks', () => {
  const CHECK = 'POST /v2/know-your-payee';
  const check = (body: Given): Promise<Answer> => api.ask(CHECK, body);
  const account = { country_code: 'GB', id_scheme: 'ACNR', id: '31926819', holding_entity: '601613' };
  const south = { ...account, country_code: 'ZA', holding_entity: '632005' };
  const brazil = { ...account, country_code: 'BR', holding_entity: '00100012' };
  const iban = { country_code: 'DE', id_scheme: 'IBAN_BICFI', id: 'DE89370400440532013000' };
  const china = { country_code: 'CN', id: '6222', holding_entity: '102100099996' };
  const identity = (identity_type: string): Given => ({ identity_type, identity_value: '1' });

  /** For each rule, accepted calls, and refused calls with the refused field. */
  const rules: Record<string, { taken: Given[]; refused?: [Given, string][] }> = {
    'holding_entity is required for every ACNR scheme': {
      taken: [account],
      refused: ['ACNR', 'BICFI_ACNR', 'CNAPS_ACNR'].map((id_scheme) => [
        { country_code: id_scheme === 'ACNR' ? 'GB' : 'CN', id_scheme, id: '1' },
        'holding_entity',
      ]),
    },
    'TXID is rejected for Brazil': {
      taken: [brazil],
      refused: [[{ ...brazil, ...identity('TXID') }, 'identity_type']],
    },
    'NIDN is the identity type of Brazil': { taken: [{ ...brazil, ...identity('NIDN') }] },
    'BRBKBR must be 7 to 9 characters': {
      taken: ['0010001', '001000123'].map((holding_entity) => ({ ...brazil, holding_entity })),
      refused: ['001000', '0010001234'].map((holding_entity) => [{ ...brazil, holding_entity }, 'holding_entity']),
    },
    'IBAN_BICFI takes the BIC': {
      taken: [{ ...iban, holding_entity: 'COBADEFFXXX' }],
      refused: [[{ ...iban, holding_entity: '37040044' }, 'holding_entity']],
    },
    'accounts of the United Kingdom can be verified by IBAN': {
      taken: [{ country_code: 'GB', id_scheme: 'IBAN', id: 'GB82WEST12345698765432' }],
    },
    'ACNR is removed for China': { taken: [], refused: [[{ ...china, id_scheme: 'ACNR' }, 'id_scheme']] },
    'China takes BICFI_ACNR': { taken: [{ ...china, id_scheme: 'BICFI_ACNR', holding_entity: 'ICBKCNBJ' }] },
    'China takes CNAPS_ACNR': { taken: [{ ...china, id_scheme: 'CNAPS_ACNR' }] },
    'ZANCC must be exactly 6 characters': {
      taken: [south],
      refused: ['63200', '6320055'].map((holding_entity) => [{ ...south, holding_entity }, 'holding_entity']),
    },
    'South Africa takes NIDN': { taken: [{ ...south, ...identity('NIDN') }] },
    'South Africa takes COID': { taken: [{ ...south, ...identity('COID') }] },
    'EPC takes the IBAN only': {
      taken: [{ ...iban, id_scheme: 'EPC' }],
      refused: [[{ ...iban, id_scheme: 'EPC', holding_entity: 'COBADEFF' }, 'holding_entity']],
    },
  };

  it('tests every stated rule of payee checks', () => {
    expect(Object.keys(rules)).toEqual(payeeRules.rules);
  });

  it.each(payeeRules.rules)('follows the payee rule: %s', async (rule) => {
    const { taken, refused = [] } = rules[rule]!;
    for (const body of taken) expect(await check(body)).toMatchObject({ status: 201 });
    for (const [body, field] of refused) expectRefusal(await check(body), routeNamed(CHECK), field);
    expect(taken.length + refused.length).toBeGreaterThan(0);
  });

  it('answers a payee check without holding_entity with the stated status', async () => {
    const { holding_entity: _entity, ...without } = account;
    expect((await check(without)).status).toBe(payeeRules.missingHoldingEntityStatus);
  });

  const codeOf = (country: string): string => COUNTRIES.find(({ name }) => name.includes(country))!.short_name;

  it.each(payeeRules.countriesAdded)('accepts payee checks in %s', async (country) => {
    expect((await check({ ...account, country_code: codeOf(country) })).status).toBe(201);
  });

  it.each(payeeRules.countriesComing)('rejects payee checks in %s until that country is added', async (country) => {
    expectRefusal(await check({ ...account, country_code: codeOf(country) }), routeNamed(CHECK), 'country_code');
  });

  it.each(payeeRules.proxySchemes)('accepts the proxy identifier %s in payee checks', async (id_scheme) => {
    expect(PAYEE_PROXY_SCHEMES).toContain(id_scheme);
    expect((await check({ country_code: 'SG', id_scheme, id: 'payee@mail.example' })).status).toBe(201);
  });

  it('reaches all three payee decisions and serves the stated history field', async () => {
    expect(PayeeDecision.options).toEqual(payeeRules.decisions);
    const decisions = new Set<unknown>();
    for (let id = 9000; id < 9003; id++) {
      const made = (await check({ ...account, id: String(id) })).body as Given;
      const read = (await api.ask('GET /v2/know-your-payee/{id}', { id: made['id'] })).body as Given;
      expect(read).toHaveProperty(payeeRules.historyField);
      decisions.add(read['decision']);
    }
    expect([...decisions]).toEqual(payeeRules.decisions);
  });
});
