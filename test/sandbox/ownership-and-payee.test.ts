import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIban } from '../../sandbox/payee/rules.js';
import { DEFAULT_STATUSES } from '../../sandbox/options.js';
import { startApp, type Answer, type Running } from './running.js';

let app: Running;
let ids: number[];
beforeAll(async () => {
  app = await startApp({ companies: 120, jobMilliseconds: 100 });
  ids = app.sandbox.world.companyIds(0);
});
afterAll(() => app.close());

interface Ubo {
  threshold: number;
  conclusive: boolean;
  beneficial_owners: { person_id: string; effective_ownership: number; routes: { share: number }[] }[];
  unresolved_chains: { share: number }[];
}

describe('ultimate beneficial owners', () => {
  const ask = async (id: number, query = ''): Promise<Ubo> => (await app.get<Ubo>(`/v2/kyb/${id}/ubo${query}`)).body;

  it('sums ownership over all routes to 100 %', async () => {
    for (const id of ids) {
      const { beneficial_owners: owners, unresolved_chains: chains, conclusive } = await ask(id, '?threshold=0');
      const total = [...owners.map((owner) => owner.effective_ownership), ...chains.map(({ share }) => share)];
      expect(total.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 1);
      expect(conclusive).toBe(chains.length === 0);
      for (const { effective_ownership, routes } of owners) {
        expect(routes.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(effective_ownership, 2);
      }
    }
  });

  it('lists owners above the threshold, 25 % by default', async () => {
    const [id] = ids;
    expect((await ask(id!)).threshold).toBe(25);
    for (const { effective_ownership } of (await ask(id!, '?threshold=50')).beneficial_owners)
      expect(effective_ownership).toBeGreaterThanOrEqual(50);
    expect((await app.get(`/v2/kyb/${id}/ubo?threshold=200`)).body).toEqual({ threshold: [expect.any(String)] });
    expect((await app.get('/v2/kyb/3/ubo')).status).toBe(404);
  });

  it('resolves unresolved owners by an enrichment job', async () => {
    const reports = await Promise.all(ids.map(async (id) => ({ id, ubo: await ask(id) })));
    const { id } = reports.find(({ ubo }) => !ubo.conclusive)!;
    const started = await app.send<{ job_id: string; status: string; result: null }>(
      'POST',
      `/v2/kyb/${id}/ubo/enrich`,
    );
    expect(started).toMatchObject({ status: 202, body: { status: 'PENDING', result: null } });
    const path = `/v2/kyb/${id}/ubo/enrich/${started.body.job_id}`;
    const seen = new Set<string>();
    let job: Answer<{ status: string; result: Ubo | null }>;
    do {
      await sleep(5);
      job = await app.get(path);
      seen.add(job.body.status);
    } while (job.body.status !== 'DONE');
    expect([...seen]).toEqual(expect.arrayContaining(['DONE']));
    expect(job.body.result).toMatchObject({ conclusive: true, unresolved_chains: [] });
    expect(await ask(id)).toEqual(job.body.result);
    expect(
      (await app.get(`/v2/kyb/${ids.find((other) => other !== id)}/ubo/enrich/${started.body.job_id}`)).status,
    ).toBe(404);
    expect((await app.get(`/v2/kyb/${id}/ubo/enrich/ubo-999`)).status).toBe(404);
  });
});

describe('payee checks', () => {
  const check = (body: object): Promise<Answer<Record<string, unknown>>> =>
    app.send('POST', '/v2/know-your-payee', body);
  const british = { country_code: 'GB', id_scheme: 'ACNR', id: '12345678', holding_entity: '200000' };
  const IBAN = 'GB82 WEST 1234 5698 7654 32';

  it('reaches all three payee decisions', async () => {
    for (const [id, decision] of [
      ['55559000', 'OK_TO_PAY'],
      ['55559001', 'REVIEW_BEFORE_PAYING'],
      ['55559002', 'DO_NOT_PAY'],
    ]) {
      expect(await check({ ...british, id })).toMatchObject({ status: 201, body: { decision, has_kyp_report: true } });
    }
    const decisions = new Set<unknown>();
    for (let n = 0; n < 40; n++)
      decisions.add((await check({ ...british, id: `77${n}`, company_id: ids[n]! })).body['decision']);
    expect(decisions).toEqual(new Set(['OK_TO_PAY', 'REVIEW_BEFORE_PAYING', 'DO_NOT_PAY']));
  });

  it('matches a payee to the company register', async () => {
    const record = app.sandbox.world.company(ids[4]!, 0)!;
    for (const asked of [
      { company_id: ids[4] },
      { registration_number: record.registration_number },
      { name: record.name },
    ]) {
      const { body } = await check({ ...british, country_code: 'GB', ...asked });
      if ('company_id' in asked || record.country_code === 'GB')
        expect(body['company']).toMatchObject({ name: record.name });
    }
    expect((await check({ ...british, company_id: '12' })).body).toMatchObject({
      company: null,
      reasons: expect.arrayContaining(['company_not_in_register']),
    });
  });

  it('reads payee checks again and repeats them from history', async () => {
    const first = (await check(british)).body;
    expect((await app.get(`/v2/know-your-payee/${String(first['id'])}`)).body).toEqual(first);
    const again = await app.send<Record<string, unknown>>('POST', `/v2/know-your-payee/${String(first['id'])}`);
    expect(again.status).toBe(201);
    expect(again.body).toEqual({ ...first, id: again.body['id'] });
    expect(again.body['id']).not.toBe(first['id']);
    expect((await app.get('/v2/know-your-payee/9999')).status).toBe(404);
    expect((await app.send('POST', '/v2/know-your-payee/x')).status).toBe(404);
  });

  it('refuses payee checks without holding_entity with 400, not the configured status', async () => {
    const other = await startApp({ statuses: { ...DEFAULT_STATUSES, invalid: 422 } });
    try {
      const send = async (body: object) => (await other.send('POST', '/v2/know-your-payee', body)).status;
      expect(await send({ ...british, holding_entity: '' })).toBe(400);
      expect(await send({ ...british, country_code: 'XX' })).toBe(422);
    } finally {
      await other.close();
    }
  });

  const refused: [what: string, body: object, field: string][] = [
    ['an account number without holding_entity', { ...british, holding_entity: undefined }, 'holding_entity'],
    [
      'every ACNR scheme without holding_entity',
      { country_code: 'CN', id_scheme: 'CNAPS_ACNR', id: '1' },
      'holding_entity',
    ],
    [
      'TXID for Brazil',
      {
        country_code: 'BR',
        id_scheme: 'ACNR',
        id: '1',
        holding_entity: '0010001',
        identity_type: 'TXID',
        identity_value: '1',
      },
      'identity_type',
    ],
    [
      'a BRBKBR of six characters',
      { country_code: 'BR', id_scheme: 'ACNR', id: '1', holding_entity: '001000' },
      'holding_entity',
    ],
    [
      'a BRBKBR of ten characters',
      { country_code: 'BR', id_scheme: 'ACNR', id: '1', holding_entity: '0010001000' },
      'holding_entity',
    ],
    ['ACNR for China', { country_code: 'CN', id_scheme: 'ACNR', id: '1', holding_entity: '102100099996' }, 'id_scheme'],
    [
      'a ZANCC of five characters',
      { country_code: 'ZA', id_scheme: 'ACNR', id: '1', holding_entity: '63200' },
      'holding_entity',
    ],
    [
      'EPC with more than the IBAN',
      { country_code: 'DE', id_scheme: 'EPC', id: 'DE89370400440532013000', holding_entity: 'COBADEFF' },
      'holding_entity',
    ],
    [
      'IBAN_BICFI without a BIC',
      { country_code: 'DE', id_scheme: 'IBAN_BICFI', id: 'DE89370400440532013000' },
      'holding_entity',
    ],
    ['an IBAN with wrong check digits', { country_code: 'GB', id_scheme: 'IBAN', id: 'GB83WEST12345698765432' }, 'id'],
    ['a country that is coming', { ...british, country_code: 'SA' }, 'country_code'],
    ['an unknown scheme', { ...british, id_scheme: 'SORT' }, 'id_scheme'],
    ['no account', { country_code: 'GB', id_scheme: 'ACNR', holding_entity: '1' }, 'id'],
    ['an unknown field', { ...british, colour: 1 }, 'colour'],
  ];
  it.each(refused)('refuses %s in a payee check with 400', async (_, body, field) => {
    expect(await check(body)).toMatchObject({ status: 400, body: { [field]: [expect.any(String)] } });
  });

  const taken: [what: string, body: object][] = [
    ['a British IBAN', { country_code: 'GB', id_scheme: 'IBAN', id: IBAN }],
    ['EPC with the IBAN only', { country_code: 'DE', id_scheme: 'EPC', id: 'DE89370400440532013000' }],
    [
      'IBAN_BICFI with the BIC',
      { country_code: 'DE', id_scheme: 'IBAN_BICFI', id: 'DE89370400440532013000', holding_entity: 'COBADEFFXXX' },
    ],
    [
      'NIDN for Brazil',
      {
        country_code: 'BR',
        id_scheme: 'ACNR',
        id: '1',
        holding_entity: '00100012',
        identity_type: 'NIDN',
        identity_value: '1',
      },
    ],
    [
      'NIDN and COID for South Africa',
      {
        country_code: 'ZA',
        id_scheme: 'ACNR',
        id: '1',
        holding_entity: '632005',
        identity_type: 'COID',
        identity_value: '1',
      },
    ],
    ['CNAPS_ACNR for China', { country_code: 'CN', id_scheme: 'CNAPS_ACNR', id: '1', holding_entity: '102100099996' }],
    ...['AU', 'ET', 'GH', 'HK', 'KE', 'MY', 'SG', 'TZ', 'ZM'].map((country_code): [string, object] => [
      country_code,
      { ...british, country_code },
    ]),
    ...['EMAL', 'MBNO', 'FPSID', 'NRIC'].map((id_scheme): [string, object] => [
      id_scheme,
      { country_code: 'SG', id_scheme, id: 'x@y.example' },
    ]),
  ];
  it.each(taken)('accepts %s in a payee check', async (_, body) => {
    expect((await check(body)).status).toBe(201);
  });

  it('validates IBAN check digits', () => {
    expect([IBAN, 'DE89370400440532013000', 'FR1420041010050500013M02606', 'NO9386011117947'].map(isIban)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['', 'GB82', 'DE89370400440532013001', 'XX'].map(isIban)).toEqual([false, false, false, false]);
  });
});
