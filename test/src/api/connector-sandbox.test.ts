import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  createApiClient,
  NotFoundError,
  PermissionDeniedError,
  TokenVerificationError,
  ValidationError,
  type ApiClient,
  type Assumed,
  type Screen,
} from '../../../src/api/index.js';
import { lastCode, newSession, stateOf } from '../../sandbox/oauth-browser.js';
import { startApp, type Running } from '../../sandbox/running.js';
import { rejection } from './helpers.js';

let app: Running;
let client: ApiClient;
let id: number;

beforeAll(async () => {
  app = await startApp({ companies: 300 });
  client = createApiClient({ baseUrl: app.url, apiKey: app.sandbox.options.key });
  const { world } = app.sandbox;
  const rich = (one: number): boolean => {
    const company = world.company(one, 0)!;
    return Boolean(company.company_website && company.pronet) && Object.keys(world.financialReport(one, 0)!).length > 0;
  };
  id = world.companyIds(0).find(rich)!;
});
afterAll(async () => {
  await client.close();
  await app.close();
});

/** The value of an answer that fits the assumed shape. */
function fitting<T>(data: Assumed<T>): T {
  if (!data.fits) throw new Error(`does not fit: ${JSON.stringify(data.value)}`);
  return data.value;
}

describe('connector functions against the sandbox', () => {
  it('reads the utility routes of the connector', async () => {
    const { connector } = client;
    expect(fitting((await connector.health()).data).status).toBe('ok');
    expect((await connector.landing()).data.text).toContain('Company Data API sandbox');
    expect((await connector.playground()).data.text).toContain('Playground');
    expect((await connector.challenge()).data.text).toMatch(/^sandbox-challenge-/);
  });

  it('reads companies through the connector as version 2 does', async () => {
    const { connector, v2 } = client;
    const record = (await v2.company(id)).data;
    expect(fitting((await connector.verifyToken()).data).valid).toBe(true);
    expect(fitting((await connector.companyDetails(id)).data)).toEqual(record);
    expect(String(fitting((await connector.companyByUrl(String(record.company_website))).data).id)).toBe(String(id));
    expect(String(fitting((await connector.companyByPronet(String(record.pronet))).data).id)).toBe(String(id));
    const autocomplete = await connector.autocomplete({ registration_number: String(record.registration_number) });
    expect(String(fitting(autocomplete.data).id)).toBe(String(id));
    const [year] = Object.keys((await v2.financial(id)).data);
    const report = fitting((await connector.companyFinancials(id, Number(year))).data);
    expect(report).toEqual((await v2.financial(id, { year: Number(year) })).data);
    expect((await connector.companyOwnership(id)).data).toMatchObject({ company: { id: String(id) } });
  });

  it('searches and lists nomenclatures through the connector', async () => {
    const { connector, v2 } = client;
    const filters = { company_status: [200] };
    const page = fitting((await connector.prospecting({ per_page: 3, filters })).data);
    expect(page).toEqual((await v2.prospecting({ page: 1, per_page: 3, filters })).data);
    const statuses = fitting((await connector.nomenclature('company_status')).data).items;
    expect(statuses.map(({ id: status }) => status)).toEqual([199, 200, 201]);
    const below = fitting((await connector.nomenclature('department', '833')).data);
    expect(below.items).toHaveLength(5);
  });

  it('rejects with the errors of version 2 or ValidationError', async () => {
    const { connector } = client;
    expect(await rejection(connector.companyDetails(5))).toBeInstanceOf(NotFoundError);
    // With status 200, an object of texts may also be data: the answer says that it has another shape.
    expect((await connector.prospecting({ page: 11 })).data).toMatchObject({
      fits: false,
      value: { page: [expect.any(String)] },
    });
    expect((await connector.autocomplete({ country_code: 'GB' })).data).toMatchObject({
      fits: false,
      value: { fields: [expect.any(String)] },
    });
    const wrong = await rejection<ValidationError>(connector.companyFinancials(id, 2024.5));
    expect(wrong).toBeInstanceOf(ValidationError);
    expect(wrong.items).toEqual([{ loc: ['body', 'year'], msg: expect.any(String), type: expect.any(String) }]);
    const stranger = createApiClient({ baseUrl: app.url, apiKey: 'nobody-has-this-key' });
    expect(await rejection(stranger.connector.companyDetails(id))).toBeInstanceOf(TokenVerificationError);
    expect(fitting((await stranger.connector.verifyToken()).data).valid).toBe(false);
    await stranger.close();
  });
});

describe('sign-in without a browser', () => {
  /** Passes the cookies of one step to the next. */
  const withCookies = ({ cookies }: Screen): { cookies: string[] } => ({ cookies });

  it('signs in with the API key and gets the code from the redirect', async () => {
    const { oauth } = client.connector;
    const session = await newSession(app);
    const { data: signedIn } = await oauth.signInWithKey(session);
    expect(signedIn.location).toBe(`/oauth/consent?session=${session}`);
    expect((await oauth.consentScreen(session, withCookies(signedIn))).data.text).toContain('Allow access?');
    const { data: end, status } = await oauth.accept(session, withCookies(signedIn));
    const { code } = await stateOf(app, session);
    expect([status, new URL(end.location!).searchParams.get('code')]).toEqual([303, code]);
    expect(await rejection(oauth.accept(session, withCookies(signedIn)))).toBeInstanceOf(PermissionDeniedError);
  });

  it('signs in by trial code and denies access', async () => {
    const { oauth } = client.connector;
    const session = await newSession(app);
    const call = withCookies((await oauth.loginScreen(session)).data);
    expect((await oauth.trialScreen(session, 'a@b.example', call)).data.text).toContain('a@b.example');
    await oauth.startTrial(session, 'a@b.example', call);
    const wrong = await oauth.verifyTrial(session, 'a@b.example', 'x', call);
    expect([wrong.data.location, wrong.data.text]).toEqual([null, expect.stringContaining('not the code')]);
    const { data } = await oauth.verifyTrial(session, 'a@b.example', await lastCode(app), call);
    const end = await oauth.deny(session, withCookies(data));
    expect(new URL(end.data.location!).searchParams.get('error')).toBe('access_denied');
  });

  it('signs in by SSO, but not without the cookie', async () => {
    const { oauth } = client.connector;
    const session = await newSession(app);
    const { data } = await oauth.startSso(session);
    const state = /state=([\w-]+)/.exec(data.text)![1]!;
    const { data: signedIn } = await oauth.endSso({ code: 'sandbox-person', state }, withCookies(data));
    expect(signedIn.location).toContain('/oauth/consent');
    expect(await rejection(oauth.accept(session))).toBeInstanceOf(PermissionDeniedError);
    const wrongKey = createApiClient({ baseUrl: app.url, apiKey: 'nobody-has-this-key' });
    const another = await newSession(app);
    expect(await rejection(wrongKey.connector.oauth.signInWithKey(another))).toBeInstanceOf(TokenVerificationError);
    await wrongKey.close();
  });
});
