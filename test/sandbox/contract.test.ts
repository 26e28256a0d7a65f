import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../sandbox/contract/openapi.js';
import { startConformance, type Conformance } from '../conformance/sandbox-calls.js';

let api: Conformance;
beforeAll(async () => {
  api = await startConformance();
});
afterAll(() => api.app.close());

// test/conformance/agreement.test.ts tests that it has exactly the routes and fields of the reference.
describe('the OpenAPI document', () => {
  it('serves OpenAPI 3.1 as JSON and as a page', async () => {
    const { body } = await api.app.get<{
      openapi: string;
      paths: Record<string, Record<string, { responses: object; requestBody?: unknown }>>;
    }>('/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    for (const { method, path } of OPERATIONS) expect(body.paths[path]).toHaveProperty(method.toLowerCase());
    expect(Object.keys(body.paths['/v2/prospecting']!['post']!.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '429',
      '500',
    ]);
    expect(JSON.stringify(body.paths['/v2/prospecting'])).toContain('financial_employee_profit');
  });

  it('answers every route with the documented status and shape', async () => {
    const calls = OPERATIONS.filter(({ path }) => /^\/v\d/.test(path)).toSorted(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    );
    for (const { method, path, status = 200, response } of calls) {
      const name = `${method} ${path}`;
      const answer = await api.ask(name, api.calls[name]);
      expect([name, answer.status]).toEqual([name, status]);
      expect([name, response!.safeParse(answer.body).error]).toEqual([name, undefined]);
    }
  });
});
