import { describe, expect, it } from 'vitest';

import type { ApiClient } from '../../src/api/index.js';
import { reply, TEST_KEY, withApi, type SeenRequest } from '../src/api/helpers.js';
import { CLIENT_CALLS } from './client-calls.js';
import { Observed } from './observed.js';
import { answerType, nameOf, ROUTES, type Parameter, type Place, type Route } from './reference.js';
import { exampleOf } from './types.js';

const rows = ROUTES.map((route) => [nameOf(route), route] as const);

/** An example value for every parameter of the route; the API key is the client's. */
function everyParameter({ parameters }: Route): Record<string, unknown> {
  const given = parameters.map(({ name, type }, n) => [name, exampleOf(type ?? 'string', {}, n + 1)]);
  return {
    ...Object.fromEntries(given),
    ...(parameters.some(({ name }) => name === 'api_key') && { api_key: TEST_KEY }),
  };
}

/** Parameters sent in one place. If the reference allows several places, a GET uses the query. */
function sentIn({ method, parameters }: Route, place: Place): Parameter[] {
  const chosen = ({ in: places }: Parameter): Place | undefined =>
    places.length === 1 ? places[0] : method === 'GET' ? 'query' : 'body';
  return parameters.filter((parameter) => chosen(parameter) === place);
}

/** Values of a query or form by name. */
function valuesByName(params: URLSearchParams): Record<string, string[]> {
  return Object.fromEntries([...new Set(params.keys())].map((name) => [name, params.getAll(name)]));
}

function asTexts(parameters: Parameter[], given: Record<string, unknown>): Record<string, string[]> {
  return Object.fromEntries(parameters.map(({ name }) => [name, [given[name]].flat().map(String)]));
}

/** Makes the call and returns its one request. Nomenclatures are first requested by GET. */
async function ask(route: Route, answer: unknown): Promise<{ seen: SeenRequest; data: unknown; endpoint: string }> {
  let out: { seen: SeenRequest; data: unknown; endpoint: string } | undefined;
  await withApi(
    (request, response) =>
      request.method === route.method
        ? reply(response, route.status ?? 200, answer)
        : reply(response, 405, { detail: `Method "${request.method}" not allowed.` }),
    async ({ client, api }) => {
      const { data, endpoint } = await CLIENT_CALLS[nameOf(route)]!(client, everyParameter(route) as never);
      expect(api.seen.filter(({ method }) => method === route.method)).toHaveLength(1);
      out = { seen: api.seen.at(-1)!, data, endpoint };
    },
  );
  return out!;
}

describe('request parameters of the client', () => {
  it.each(rows)('sends every documented parameter of %s in the documented place', async (name, route) => {
    const given = everyParameter(route);
    const answer = exampleOf(answerType(route));
    const { seen, endpoint } = await ask(route, answer);
    const url = new URL(seen.url, 'http://api');
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(String(given[id])));
    expect([endpoint, seen.method, url.pathname]).toEqual([name, route.method, path]);
    expect(valuesByName(url.searchParams)).toEqual(asTexts(sentIn(route, 'query'), given));
    const body = sentIn(route, 'body').map((parameter) => [parameter.name, given[parameter.name]]);
    const form = sentIn(route, 'form');
    if (form.length > 0) expect(valuesByName(new URLSearchParams(seen.body))).toEqual(asTexts(form, given));
    else expect(seen.body === '' ? {} : JSON.parse(seen.body)).toEqual(Object.fromEntries(body));
    expect(seen.headers.authorization).toBe(route.group === 'connector' ? undefined : `Token ${TEST_KEY}`);
  });
});

describe('answers read by the client', () => {
  const shown = rows.filter(([, { response }]) => response !== null);
  it.each(shown)('reads documented answers of %s, also with null fields', async (_name, route) => {
    for (const nulls of [false, true]) {
      const answer = exampleOf(answerType(route), { nulls });
      expect(new Observed().take(answerType(route), answer, 'example')).toMatchObject({ misfits: new Set() });
      expect((await ask(route, answer)).data).toEqual(answer);
    }
  });
});

/** Paths of all functions below an object. */
function functionsOf(value: object, path = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'function' ? [`${path}${name}`] : functionsOf(member as object, `${path}${name}.`),
  );
}

/** The same object, recording which of its functions are called. */
function watching<T extends object>(value: T, called: Set<string>, path = ''): T {
  return new Proxy(value, {
    get(target, name: string) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member === 'object' && member !== null) return watching(member, called, `${path}${name}.`);
      called.add(`${path}${name}`);
      return member;
    },
  });
}

describe('the client', () => {
  it('has one client function per route, and no other', async () => {
    expect(Object.keys(CLIENT_CALLS).toSorted()).toEqual(ROUTES.map(nameOf).toSorted());
    const called = new Set<string>();
    await withApi(
      (_request, response) => reply(response, 418, ''),
      async ({ client }) => {
        const { v1, v2, connector } = client;
        const watched = watching({ v1, v2, connector }, called) as ApiClient;
        const calls = ROUTES.map((route) => CLIENT_CALLS[nameOf(route)]!(watched, everyParameter(route) as never));
        await Promise.allSettled(calls);
        // Nomenclatures have one function for two routes.
        expect([...called].toSorted()).toEqual(functionsOf({ v1, v2, connector }).toSorted());
        expect(called.size).toBe(ROUTES.length - 1);
      },
      { maxRetries: 0 },
    );
  });
});
