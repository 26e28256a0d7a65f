import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../sandbox/contract/openapi.js';
import { ALTERNATE_OPERATIONS } from '../../sandbox/contract/v2-operations.js';
import { permissionFor, PERMISSION_NAMES, readKeyFlags, type Permission } from '../../sandbox/http/permissions.js';
import { METRICS } from '../../sandbox/state/quota.js';
import { startSandbox } from '../helpers/processes.js';
import { createApiClient, LimitError, PermissionDeniedError } from '../../src/api/index.js';
import { startApp, type Running } from './running.js';

let app: Running;
beforeEach(async () => {
  app = await startApp({
    companies: 30,
    keys: [
      { key: 'reader', permissions: ['company_details', 'tenders'] },
      { key: 'nothing', permissions: [] },
      { key: 'second', permissions: 'all' },
    ],
  });
});
afterEach(() => app.close());

interface Told {
  status: number;
  body: unknown;
}

async function ask(key: string, method: string, path: string, body?: object): Promise<Told> {
  const response = await fetch(app.url + path, {
    method,
    headers: { authorization: `Token ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) as unknown };
}

const routes = [...OPERATIONS, ...ALTERNATE_OPERATIONS].filter(({ path }) => /^\/v\d/.test(path));
const filled = (path: string): string => path.replaceAll(/\{\w+\}/g, '1');
/** The permission that a route requires. */
const wanted = (path: string): Permission | null => permissionFor(path.replaceAll(/\{(\w+)\}/g, ':$1'));

describe('permissions of API keys', () => {
  it('refuses a key without permissions on all but the open routes', async () => {
    const open = new Set<string>();
    for (const { method, path } of routes) {
      const { status, body } = await ask('nothing', method, filled(path), method === 'GET' ? undefined : {});
      const permission = wanted(path);
      if (permission === null) {
        open.add(path);
        expect([path, status === 403]).toEqual([path, false]);
      } else {
        expect([path, status]).toEqual([path, 403]);
        const words = `This API key has no permission "${permission}".`;
        expect(body).toEqual(
          path.startsWith('/v1')
            ? { error_name: 'ProductPermissionDenied', code: 403, message: words, data: {} }
            : { detail: words },
        );
      }
    }
    expect([...open].toSorted()).toEqual(['/v1/finder/nomenclatures', '/v2/metrics', '/v2/metrics/contacts']);
    expect(app.sandbox.quota.usedToday).toBe(0);
  });

  it('opens the routes of a permission and no others', async () => {
    for (const permission of PERMISSION_NAMES) {
      app.sandbox.keys.set({ key: 'one', permissions: [permission] });
      const opened = new Set<string>();
      for (const { method, path } of routes) {
        const { status } = await ask('one', method, filled(path), method === 'GET' ? undefined : {});
        expect([permission, path, status === 403]).toEqual([
          permission,
          path,
          ![permission, null].includes(wanted(path)),
        ]);
        if (status !== 403 && wanted(path) !== null) opened.add(path);
      }
      expect([permission, opened.size > 0]).toEqual([permission, true]);
    }
  });

  it("names permissions after the usage metrics' modules", async () => {
    expect(PERMISSION_NAMES).toEqual([...Object.keys(METRICS), 'watching', 'tenders']);
    for (const [path, permission] of [
      ['/v2/companies/1', 'company_details'],
      ['/v2/companies/1/watch/events', 'watching'],
      ['/v2/companies/watch/callback', 'watching'],
      ['/v2/financial/1', 'financials'],
      ['/v1/finder/company/executives', 'employees'],
      ['/v1/finder/tenders/donors', 'tenders'],
    ] as const) {
      expect([path, permissionFor(path)]).toEqual([path, permission]);
    }
  });

  it('lets the first key and an "all" key do everything, on one quota', async () => {
    for (const key of [app.sandbox.options.key, 'second']) {
      expect((await ask(key, 'POST', '/v2/prospecting', {})).status).toBe(200);
    }
    expect(app.sandbox.quota.usedToday).toBe(2);
    expect((await ask('nobody', 'GET', '/v2/metrics')).status).toBe(401);
  });

  it('applies permissions to connector routes', async () => {
    const [id] = app.sandbox.world.companyIds(0);
    const call = (path: string, api_key: string, more: object = {}): Promise<Told> =>
      app.send('POST', `/api/${path}`, { api_key, ...more });
    expect((await call('verify-token', 'nothing')).body).toEqual({ valid: true });
    expect((await call('company-details', 'reader', { company_id: String(id) })).status).toBe(200);
    expect(await call('company-ownership', 'reader', { company_id: String(id) })).toMatchObject({
      status: 200,
      body: { detail: 'This API key has no permission "ownership".' },
    });
    expect((await call('nomenclature', 'nothing', { nomenclature_type: 'company_status' })).status).toBe(200);
  });
});

describe('changing API keys at run time', () => {
  it('grants, narrows and withdraws permissions', async () => {
    const set = (key: string, permissions: unknown): Promise<Told> =>
      app.send('POST', '/_sandbox/keys', { key, permissions });
    const search = async (key: string): Promise<number> => (await ask(key, 'POST', '/v2/prospecting', {})).status;
    expect(await search('new-key')).toBe(401);
    expect((await set('new-key', ['prospecting'])).body).toContainEqual({
      key: 'new-key',
      permissions: ['prospecting'],
    });
    expect(await search('new-key')).toBe(200);
    await set('new-key', ['tenders']);
    expect(await search('new-key')).toBe(403);
    await set('new-key', 'all');
    expect(await search('new-key')).toBe(200);
    await set('new-key', null);
    expect(await search('new-key')).toBe(401);
    expect((await set('new-key', null)).status).toBe(404);
    const main = app.sandbox.options.key;
    await set(main, ['tenders']);
    expect(await search(main)).toBe(403);
    expect((await app.get<unknown[]>('/_sandbox/keys')).body).toEqual([
      { key: main, permissions: ['tenders'] },
      { key: 'reader', permissions: ['company_details', 'tenders'] },
      { key: 'nothing', permissions: [] },
      { key: 'second', permissions: 'all' },
    ]);
  });

  it.each([
    [{ key: 'k', permissions: ['flying'] }, 'permissions'],
    [{ key: 'k' }, 'permissions'],
    [{ key: 'with space', permissions: 'all' }, 'key'],
    [{ key: '', permissions: 'all' }, 'key'],
  ])('rejects the key setting %j', async (body, field) => {
    const answer = await app.send<Record<string, unknown>>('POST', '/_sandbox/keys', body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, [field]]);
  });
});

describe('the client with a refused key', () => {
  it.each([
    ['detail', PermissionDeniedError],
    ['access', LimitError],
  ] as const)('reports a refused permission with --permission-body %s', async (permissionBody, expected) => {
    const other = await startApp({ companies: 30, keys: [{ key: 'reader', permissions: [] }], permissionBody });
    const client = createApiClient({ baseUrl: other.url, apiKey: 'reader' });
    const error = (await client.v2.company(1).catch((caught: unknown) => caught)) as LimitError;
    expect(error).toBeInstanceOf(expected);
    expect([error.status, error.retryable, error.attempts]).toEqual([403, false, 1]);
    if (permissionBody === 'access') {
      expect([error.guard, error.access?.permission_name]).toEqual(['permission', 'Company details']);
    }
    const old = await client.v1.company(1).catch((caught: unknown) => caught);
    expect(old).toBeInstanceOf(PermissionDeniedError);
    await client.close();
    await other.close();
  });
});

describe('key flags', () => {
  it('adds a restricted key to the unrestricted one by flag', async () => {
    const running = await startSandbox({ companies: 20, tenders: 2, seed: 3, key: 'reader=company_details,tenders' });
    try {
      expect(running.key).toBe('sandbox-key-3');
      const status = async (key: string): Promise<number> =>
        (await fetch(`${running.url}/v2/prospecting`, { method: 'POST', headers: { authorization: `Token ${key}` } }))
          .status;
      expect([await status('reader'), await status('sandbox-key-3'), await status('x')]).toEqual([403, 200, 401]);
    } finally {
      await running.stop();
    }
  });

  it('parses key flags', () => {
    expect(readKeyFlags(['main', 'a=all', 'b=none', 'YWJj===prospecting', 'YWJj=='])).toEqual({
      key: 'YWJj==',
      keys: [
        { key: 'a', permissions: 'all' },
        { key: 'b', permissions: [] },
        { key: 'YWJj==', permissions: ['prospecting'] },
      ],
    });
    expect(readKeyFlags(['x=y=tenders'])).toEqual({ keys: [{ key: 'x=y', permissions: ['tenders'] }] });
    expect(() => readKeyFlags(['a=flying'])).toThrow(/"flying" is not a permission/);
  });
});
