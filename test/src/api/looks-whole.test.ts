import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyError, NotFoundError, TokenVerificationError } from '../../../src/api/index.js';
import { looksWhole } from '../../../src/api/looks-whole.js';
import { requireBounded } from '../../../src/base/json/json-bounds.js';
import { rejection, reply, withApi } from './helpers.js';

const company = (more: object = {}) => ({ id: 7, name: 'Ågot', ...more, about: 'x'.repeat(300) });
const text = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));
const looks = (body: unknown, status = 200): boolean => looksWhole(status, Buffer.from(text(body)));

describe('looksWhole', () => {
  it.each<[string, unknown, number, boolean]>([
    ['a long record', company(), 200, true],
    ['another status', company(), 201, false],
    ['a short record', { id: 7 }, 200, false],
    ['a record that is cut off', text(company()).slice(0, -1), 200, false],
    ['a list', [company()], 200, false],
    ['a page', `<html>${text(company())}`, 200, false],
    ['an error of version 1', company({ error_name: 'x' }), 200, false],
    ['a limit', company({ error_guard: 'limit' }), 200, false],
    ['a detail', company({ detail: 'not found' }), 200, false],
    ['a record that nests too deep', `{"a":${'['.repeat(101)}${']'.repeat(101)},"b":"${'x'.repeat(300)}"}`, 200, false],
    ['a very long record', company({ about: 'x'.repeat(70_000), more: 'x'.repeat(70_000) }), 200, false],
  ])('reads %s: %#', (_name, body, status, expected) => {
    expect(looks(body, status)).toBe(expected);
  });

  it('accepts only objects within all bounds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 })), (object) => {
        const body = JSON.stringify({ ...object, padding: 'x'.repeat(256) });
        if (!looks(body)) return;
        expect(() => requireBounded(body)).not.toThrow();
        expect(body).not.toMatch(/^.{0,490}("detail"|error_name|error_guard)/s);
      }),
    );
  });
});

describe('a long record', () => {
  it('is parsed when its data is read', async () => {
    await withApi(
      (_q, r) => reply(r, 200, company()),
      async ({ client }) => {
        const answer = await client.v2.company(7);
        expect(answer.data).toEqual(company());
        expect(answer.body).toBe(text(company()));
        expect(Buffer.from(answer.bytes()).toString()).toBe(answer.body);
      },
    );
  });

  it('is an answer even if it is broken inside; its data says where', async () => {
    await withApi(
      (_q, r) => reply(r, 200, text(company()).replace('"name"', 'name')),
      async ({ client, api }) => {
        const answer = await client.v2.company(7);
        expect(answer.body).toContain('{"id":7,name:');
        expect(() => answer.data).toThrow(BodyError);
        expect(() => answer.misfits).toThrow('malformed JSON: unexpected "n" at character 9');
        expect(api.seen).toHaveLength(1);
      },
    );
  });

  it.each([
    [404, { detail: `Not found: ${'x'.repeat(300)}` }, NotFoundError],
    [200, { detail: `Not found: ${'x'.repeat(300)}` }, NotFoundError],
    [200, { error_name: 'TokenVerificationError', message: 'x'.repeat(300) }, TokenVerificationError],
  ])('is an error if it says so: status %i, %j', async (status, body, expected) => {
    await withApi(
      (_q, r) => reply(r, status, body),
      async ({ client }) => {
        const error = await rejection(client.v2.company(7));
        expect(error.name).toBe(expected === NotFoundError && status === 200 ? error.name : expected.name);
      },
      { maxRetries: 0 },
    );
  });
});
