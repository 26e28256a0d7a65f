import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_CALLS } from '../conformance/client-calls.js';
import { nameOf, ROUTES } from '../conformance/reference.js';
import { findCalledRoutes, findLoaded } from './called-routes.js';
import { readProjectFiles, ROOT } from './project-files.js';

/** Routes that no stream and no command needs, each with the reason. */
const NOT_NEEDED: Readonly<Record<string, string>> = {
  'GET /': 'a page for people',
  'GET /playground': 'a page for people',
  'GET /.well-known/assistant-apps-challenge': 'proves to an assistant who operates the connector',
  'GET /oauth/login': 'the browser of `tidemark login` opens this page',
  'POST /oauth/login': '`tidemark login` checks a typed key with /api/verify-token, which needs no session',
  'GET /oauth/sso/start': 'a page in the browser of `tidemark login`',
  'GET /oauth/sso/callback': 'a page in the browser of `tidemark login`',
  'GET /oauth/trial': 'a page in the browser of `tidemark login`',
  'POST /oauth/trial': 'a form in the browser of `tidemark login`',
  'POST /oauth/trial/verify': 'a form in the browser of `tidemark login`',
  'GET /oauth/consent': 'a page in the browser of `tidemark login`',
  'POST /oauth/consent': 'a form in the browser of `tidemark login`',
  'POST /oauth/deny': 'a form in the browser of `tidemark login`',
};

const sources = new Map(
  [...readProjectFiles(/^(src|activities|workflows|schemas)\/.*\.ts$/)].filter(
    ([file]) => !file.startsWith('src/api/'),
  ),
);
const loaded = findLoaded(sources, ['src/cli/cli.ts', 'src/temporal/worker/worker.ts']);
const SAMPLE = 'test/repo/sample-calls.ts';
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
let called: Map<string, string[]>;
let inSample: string[];
beforeAll(() => {
  const code = new Map([...sources].filter(([file]) => loaded.has(file)));
  called = findCalledRoutes(read('test/conformance/client-calls.ts'), new Map([...code, [SAMPLE, read(SAMPLE)]]));
  inSample = [...called].filter(([, files]) => files.includes(SAMPLE)).map(([route]) => route);
  for (const [route, files] of called)
    called.set(
      route,
      files.filter((file) => file !== SAMPLE),
    );
});

const isCalled = (route: string): boolean => (called.get(route)?.length ?? 0) > 0;

describe('findCalledRoutes', () => {
  it('finds functions that are destructured, renamed or passed on, and no others', () => {
    expect(inSample.toSorted()).toEqual([
      'GET /v1/finder/executive/details',
      'GET /v2/companies/{id}/watch/fields',
      'GET /v2/metrics/contacts',
      'POST /oauth/deny',
      'POST /v2/overview',
    ]);
  });
});

describe('routes of the API reference', () => {
  it('knows the client function of every route', () => {
    expect(loaded.size).toBeGreaterThan(200);
    expect([...called.keys()].toSorted()).toEqual(Object.keys(CLIENT_CALLS).toSorted());
    expect(ROUTES.map(nameOf).filter((route) => !called.has(route))).toEqual([]);
  });

  it('calls every route that is not listed as unneeded', () => {
    const listed = new Set(Object.keys(NOT_NEEDED));
    expect(ROUTES.map(nameOf).filter((route) => !isCalled(route) && !listed.has(route))).toEqual([]);
  });

  it('lists no route that is called, unknown or listed twice', () => {
    const listed = Object.keys(NOT_NEEDED);
    expect(listed.filter((route) => isCalled(route) || !called.has(route))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('leaves out only pages and sign-in screens of the connector', () => {
    expect(
      Object.keys(NOT_NEEDED).filter((route) => !/^\w+ \/(oauth\/.*|playground|\.well-known\/.*)?$/.test(route)),
    ).toEqual([]);
  });
});
