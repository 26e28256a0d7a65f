import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { expectError, expectRefusal } from './error-shapes.js';
import { nameOf, ROUTES, type Parameter, type Place, type Route } from './reference.js';
import { startConformance, type Answer, type Conformance, type Given } from './sandbox-calls.js';
import { wrongOf } from './types.js';

// Steps of the sign-in depend on each other; sign-in.test.ts tests them.
const routes = ROUTES.filter(({ path }) => !path.startsWith('/oauth'));
type Row = readonly [label: string, route: Route, parameter: Parameter, place: Place];
const rows: Row[] = routes.flatMap((route) =>
  route.parameters.flatMap((parameter) =>
    parameter.in.map((place) => [`${nameOf(route)} ${place} ${parameter.name}`, route, parameter, place] as const),
  ),
);
const sent = rows.filter(([, , , place]) => place !== 'path');

let api: Conformance;
beforeAll(async () => {
  api = await startConformance();
});
// Routes about a watch need a watched company. One of these routes ends the watch, so start it before each test.
beforeEach(async () => {
  await api.app.send('POST', `/v2/companies/${api.id}/watch/start`, {});
});
afterAll(() => api.app.close());

/** The route's call with some parameters changed or, if undefined, omitted; this one in the given place. */
function call(route: Route, changes: Given, place?: Place): Promise<Answer> {
  const given = { ...api.calls[nameOf(route)]!, ...changes };
  const sentOnes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return api.ask(nameOf(route), sentOnes, {
    place: (places) => (place !== undefined && places.includes(place) ? place : places[0]!),
  });
}

function expectSuccess(route: Route, answer: Answer): void {
  const about = JSON.stringify(answer.body).slice(0, 200);
  if (route.status === null) expect(String(answer.status), about).toMatch(/^2\d\d$/);
  else expect(answer.status, about).toBe(route.status);
}

describe('calls with every documented parameter', () => {
  it('gives every documented parameter in the sample calls', () => {
    for (const [label, route, { name }] of rows) expect(api.calls[nameOf(route)], label).toHaveProperty(name);
  });
  it.each(rows)('accepts a call with all documented parameters: %s', async (_label, route, _parameter, place) => {
    expectSuccess(route, await call(route, {}, place));
  });
});

describe('missing parameters', () => {
  it.each(sent.filter(([, , { required }]) => required === true))(
    'rejects a call without the required %s',
    async (_label, route, { name }, place) => {
      expectRefusal(await call(route, { [name]: undefined }, place), route, name);
    },
  );

  it.each(sent.filter(([, , { requiredWhen }]) => requiredWhen))(
    'rejects a call without the conditionally required %s',
    async (_label, route, parameter) => {
      const [name, value] = parameter.requiredWhen!.split(' is ') as [string, string];
      expectRefusal(await call(route, { [name]: value, [parameter.name]: undefined }), route, parameter.name);
    },
  );

  // All other parameters are optional. Each test leaves out one of them.
  const optional = sent.filter(([, , { required }]) => required === false);
  it.each(optional)('accepts a call without the optional %s', async (_label, route, { name }, place) => {
    expectSuccess(route, await call(route, { [name]: undefined }, place));
  });
});

describe('parameters of a wrong type', () => {
  // Any text in a query is valid text.
  const checkable = sent.filter(([, , { type }, place]) => type !== null && (place === 'body' || type !== 'string'));
  it.each(checkable)('rejects a value of a wrong type: %s', async (_label, route, { name, type }, place) => {
    expectRefusal(await call(route, { [name]: wrongOf(type!) }, place), route, name);
  });
});

describe('nullable parameters', () => {
  it.each(sent.filter(([, , { type }]) => type?.endsWith('| null')))(
    'accepts null for %s',
    async (_label, route, { name }) => {
      expectSuccess(route, await call(route, { [name]: null }));
    },
  );
});

describe('default values', () => {
  it.each(sent.filter(([, , parameter]) => parameter.default !== undefined))(
    'applies the documented default of %s',
    async (_label, route, parameter) => {
      const { name, default: value } = parameter;
      const without = await call(route, { [name]: undefined });
      expectSuccess(route, without);
      expect(await call(route, { [name]: value })).toEqual(without);
      const other = value === true ? false : Number(value) + 1;
      expect(await call(route, { [name]: other })).not.toEqual(without);
    },
  );
});

describe('maxima', () => {
  it.each(sent.filter(([, , { maximum }]) => maximum !== undefined))(
    'accepts the documented maximum and nothing larger: %s',
    async (_label, route, { name, maximum }) => {
      expectSuccess(route, await call(route, { [name]: maximum }));
      expectRefusal(await call(route, { [name]: maximum! + 1 }), route, name);
    },
  );
});

describe('ids in the path', () => {
  it.each(rows.filter(([, , , place]) => place === 'path'))(
    'answers 404 to an unknown id: %s',
    async (_label, route, { name }) => {
      for (const value of [4, 'x']) {
        const answer = await call(route, { [name]: value });
        expect(answer.status).toBe(404);
        expectError(answer, 'v2', 'InternalError'); // the shape `{detail}`, which the reference gives to two errors
      }
    },
  );
});
