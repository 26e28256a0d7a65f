import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConnectorErrorShape, V1Shape, V2Shape } from './error-shapes.js';
import { OPERATIONS } from '../../sandbox/contract/openapi.js';
import { demandUnharmed, startApp, type Running } from './running.js';

/* Valid HTTP with hostile content: each request is refused in its version's error shape, and nothing breaks. */

let app: Running;
let key: string;
beforeAll(async () => {
  app = await startApp({ tenders: 20 });
  key = app.sandbox.options.key;
});
afterAll(() => app.close());
afterEach(() => demandUnharmed(app));

interface Answer {
  status: number;
  body: unknown;
}

async function send(
  method: string,
  path: string,
  body: string | Buffer<ArrayBuffer> | null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(app.url + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Token ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== null && { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

const post = async (
  path: string,
  body: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Answer> => await send('POST', path, body, headers);

/** One route of each version, with its status for unreadable bodies. */
const DOORS = [
  ['/v2/prospecting', 400, V2Shape],
  ['/v1/finder/companies', 406, V1Shape],
  ['/api/prospecting', 422, ConnectorErrorShape],
] as const;

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('invalid JSON', () => {
  it.each([
    ['a missing end', '{"page": 1'],
    ['a comma too many', '{"page":1,}'],
    ['NaN', '{"page":NaN}'],
    ['single quotes', "{'page':1}"],
    ['a byte order mark', '\ufeff{"page":1,"per_page":1,"filters":{}}'],
    ['two values', '{"page":1}{"page":1}'],
    ['a bare word', 'undefined'],
    ['a NUL byte', '{"page":1}\0'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['a hundred thousand brackets', deep(100_000)],
    ['brackets without end', '['.repeat(100_000)],
    ['objects within objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
  ])('refuses a body with %s on every version', async (_name, body) => {
    for (const [path, status, shape] of DOORS) {
      const answer = await post(path, body);
      expect([path, answer.status, shape.safeParse(answer.body).success]).toEqual([path, status, true]);
    }
  });
});

describe('wrong media types', () => {
  it.each([
    ['text', 'text/plain', undefined],
    ['XML', 'application/xml', undefined],
    ['a form', 'application/x-www-form-urlencoded', undefined],
    ['parts', 'multipart/form-data; boundary=x', undefined],
    ['an invalid media type', ';;;', undefined],
    ['UTF-16', 'application/json; charset=utf-16', undefined],
    ['gzip encoding', 'application/json', 'gzip'],
    ['two encodings', 'application/json', 'br, gzip'],
  ])('refuses a body in %s on every version', async (_name, type, encoding) => {
    for (const [path, , shape] of DOORS) {
      const headers = { 'content-type': type, ...(encoding !== undefined && { 'content-encoding': encoding }) };
      const answer = await post(path, '{"page":1,"per_page":1,"filters":{}}', headers);
      const status = path.startsWith('/api') ? 422 : 415;
      expect([path, answer.status, shape.safeParse(answer.body).success]).toEqual([path, status, true]);
    }
  });

  it('accepts JSON that states its UTF-8 charset', async () => {
    for (const type of ['application/json; charset=UTF-8', 'application/json;charset="utf-8"', 'Application/JSON']) {
      expect((await post('/v2/prospecting', '{}', { 'content-type': type })).status).toBe(200);
    }
  });
});

describe('all routes', () => {
  const withBody = OPERATIONS.filter(({ body }) => body !== undefined);
  const bodies = [
    '[]',
    '"text"',
    '17',
    'null',
    'true',
    '{"page":"one","per_page":{},"filters":[],"id":[],"fields":7,"api_key":5,"session":[]}',
    '{"page":1e999,"per_page":-1,"filters":{"company_status":"199"}}',
    '{"filters":{"number_of_employees":{"gte":"many"}}}',
    '{"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":2}',
    '{"__proto__":{"polluted":true}}',
    `{"filters":{"location_regions":{"include":${deep(50)}}}}`,
    `{"filters":{"location_countries":{"include":${deep(100_000)}}}}`,
  ];

  it.each(withBody.map(({ method, path }) => [method, path] as const))(
    '%s %s answers odd bodies without a server error',
    async (method, path) => {
      const address = path.replaceAll(/\{\w+\}/g, '1000026');
      for (const body of bodies) {
        const { status, body: answer } = await send(method, address, body);
        expect([body.slice(0, 40), status]).toEqual([body.slice(0, 40), expect.toSatisfy(isNoFault)]);
        if (status < 400) continue;
        const shape = path.startsWith('/v1') ? V1Shape : path.startsWith('/v2') ? V2Shape : ConnectorErrorShape;
        expect([body.slice(0, 40), shape.safeParse(answer).error]).toEqual([body.slice(0, 40), undefined]);
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );

  /**
   * Routes without a required body, and connector routes that ignore unknown keys, may answer. None may fail with a
   * 5xx.
   */
  function isNoFault(status: number): boolean {
    return status < 500;
  }

  it('refuses a body that is no object on a route with an optional body', async () => {
    for (const body of ['17', '[]', '"text"', 'null']) {
      expect((await post('/v2/kyb/1000026/ubo/enrich', body)).status).toBe(400);
    }
  });

  it('answers 405 with the allowed methods on every route', async () => {
    for (const { path } of OPERATIONS) {
      const address = path.replaceAll(/\{\w+\}/g, '1000026');
      const { status } = await send('PATCH', address, null);
      const response = await fetch(app.url + address, { method: 'PATCH', headers: { authorization: `Token ${key}` } });
      const allowed = response.headers.get('allow')?.split(', ') ?? [];
      const known = OPERATIONS.filter((operation) => operation.path === path).map(({ method }) => method);
      expect([path, status]).toEqual([path, 405]);
      expect(allowed).toEqual(expect.arrayContaining(known));
    }
  });
});

describe('prototype keys', () => {
  it('treats __proto__ and constructor as unknown keys', async () => {
    for (const body of ['{"__proto__":{"page":3}}', '{"filters":{"location_regions":{"__proto__":true}}}']) {
      for (const [path, status] of DOORS) expect([path, (await post(path, body)).status]).toEqual([path, status]);
    }
    const unknown = await post('/v2/prospecting', '{"filters":{"constructor":1,"toString":2}}');
    expect(unknown).toMatchObject({ status: 400 });
    expect(Object.keys(unknown.body as object).toSorted()).toEqual(['constructor', 'toString']);
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
      expect((await send('GET', `/v2/companies/${name}`, null)).status).toBe(404);
      expect((await send('GET', `/_sandbox/truth/${name}`, null)).status).toBe(404);
      const nomenclature = JSON.stringify({ api_key: key, nomenclature_type: name });
      expect((await post('/api/nomenclature', nomenclature)).body).toEqual({
        detail: `There is no nomenclature "${name}".`,
      });
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await post('/oauth/login', `${name}=1`, form)).status).toBe(422);
    }
    expect((await send('GET', '/v2/metrics?__proto__[x]=1&constructor=2', null)).status).toBe(200);
  });
});

describe('echoed values', () => {
  it('adds no header or line from values in redirects, pages and faults', async () => {
    const begin = {
      client: 'x\r\nSet-Cookie: a=b',
      redirect_uri: 'http://127.0.0.1:9/back',
      state: 'x\r\nSet-Cookie: c=d',
    };
    const { body } = await post('/_sandbox/oauth/sessions', JSON.stringify(begin));
    const { session } = body as { session: string };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const first = await fetch(`${app.url}/oauth/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: form,
      body: new URLSearchParams({ session, api_key: key }),
    });
    const cookie = first.headers.getSetCookie().map((line) => line.split(';')[0]!);
    expect(cookie).toHaveLength(1);
    const denied = await fetch(`${app.url}/oauth/deny`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...form, cookie: cookie[0]! },
      body: new URLSearchParams({ session }),
    });
    const target = new URL(denied.headers.get('location')!);
    expect(target.searchParams.get('state')).toBe(begin.state);
    expect([...denied.headers.keys()].filter((name) => name === 'a' || name === 'c')).toEqual([]);
    expect(denied.headers.getSetCookie().join()).not.toMatch(/[ac]=[bd]/);

    const crafted = await fetch(`${app.url}/oauth/login?session=%0d%0aSet-Cookie:%20a=b`);
    expect([crafted.status, crafted.headers.getSetCookie()]).toEqual([403, []]);
    for (const headers of [{ x: 'a\r\nSet-Cookie: b=c' }, { 'x\r\ny': 'a' }, { '': 'a' }, { x: 'é' }]) {
      expect((await post('/_sandbox/faults', JSON.stringify({ headers }))).status).toBe(400);
    }
    expect((await app.get<unknown[]>('/_sandbox/faults')).body).toEqual([]);
  });

  it('escapes markup in pages and errors', async () => {
    const nasty = '"><script>alert(1)</script>';
    for (const path of [`/oauth/login?session=${encodeURIComponent(nasty)}`, '/docs', '/playground']) {
      const text = await (await fetch(app.url + path)).text();
      expect(text).not.toContain('<script>alert');
    }
    expect(String((await send('GET', `/v2/companies/${encodeURIComponent(nasty)}`, null)).body)).not.toContain(
      '<script>',
    );
  });

  it('finds nothing for names with NUL or lone surrogates', async () => {
    for (const name of ['a\\u0000b', '\\ud800', '\\u202e', '%', "' OR 1=1 --", '../../etc/passwd']) {
      const body = `{"page":1,"per_page":1,"filters":{"name":["${name}zzzz"]}}`;
      expect(await post('/v1/finder/companies', body)).toMatchObject({ status: 200, body: { data: [], pages: 0 } });
    }
  });
});
