import { describe, expect, it } from 'vitest';
import type { PeopleOfStream } from '../../../schemas/streams/people.js';
import { readJsonNodes } from '../../../src/base/json/json-nodes.js';
import { removePeople } from '../../../src/privacy/people.js';

const spec = (...path: string[]): PeopleOfStream => ({ people: [{ path }], entity: 'company', expired: 'drop' });
const without = (body: string, where: PeopleOfStream, ...ids: string[]): string | null =>
  removePeople(readJsonNodes(body), where, ({ id }) => id !== null && ids.includes(id));

describe('removePeople', () => {
  it('removes items of an array by id, whatever the form of the id, and keeps the digits of the others', () => {
    const body = '{"pages": 1, "list": [{"id":7.0},{"id":"7"},{"id":9007199254740993},{"id":8},5]}';
    expect(without(body, spec('list'), '7', '8')).toBe('{"pages":1,"list":[{"id":9007199254740993},5]}');
    expect(without(body, spec('list'), '1')).toBe(body);
  });

  it('finds people in every member and at every depth', () => {
    expect(without('{"c":{"a":[{"id":1}],"b":[{"id":2}]}}', spec('c', '*'), '2')).toBe('{"c":{"a":[{"id":1}],"b":[]}}');
    expect(without('{"a":{"id":1,"x":[{"id":2,"x":[{"id":3}]}]}}', spec('**'), '2')).toBe('{"a":{"id":1,"x":[]}}');
  });

  it('returns null when the body is the person', () => {
    expect(without('{"id":1}', spec(), '1')).toBeNull();
    expect(without('{"person":{"id":1},"n":2}', spec('person'), '1')).toBe('{"person":null,"n":2}');
  });

  it('reads another id field', () => {
    const where: PeopleOfStream = { ...spec(), people: [{ path: ['data'], id: 'person_id' }] };
    expect(without('{"data":[{"person_id":1},{"id":1}]}', where, '1')).toBe('{"data":[{"id":1}]}');
  });
});
