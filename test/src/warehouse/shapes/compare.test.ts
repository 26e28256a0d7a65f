import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Company } from '../../../../schemas/v2/company.js';
import { ProspectingResponse } from '../../../../schemas/v2/prospecting.js';
import { compare, memberPath, type Structure } from '../../../../src/warehouse/shapes/compare.js';
import { declaredFields } from '../../../../src/warehouse/shapes/declared.js';
import { sampleOf, valueAt } from '../../../../src/warehouse/shapes/sample.js';
import { shapeOf } from '../../../../src/warehouse/shapes/shape.js';
import { fieldsOf } from '../../../conformance/reference.js';

const company = shapeOf(Company);
const found = (structure: Structure) => compare(company, structure, '$').deviations;

describe('compare', () => {
  it('accepts declared fields in any declared type, null or missing', () => {
    expect(
      found({
        id: 'UBIGINT',
        size: 'DOUBLE',
        name: 'NULL',
        sic: [{ id: 'VARCHAR', value: 'NULL' }],
        industry: ['NULL'],
      }),
    ).toEqual([]);
    expect(found({ id: 'JSON', size: 'JSON' })).toEqual([]);
  });

  it('distinguishes new fields from changed types, also inside lists', () => {
    expect(
      found({
        name: 'UBIGINT',
        rating: 'VARCHAR',
        group: { head: { name: 'VARCHAR' } },
        brands: ['VARCHAR'],
        status: 'JSON',
        company_phone: ['JSON'],
        sic: [{ id: 'UBIGINT', valid: 'BOOLEAN', value: { text: 'VARCHAR' } }],
      }),
    ).toEqual([
      { path: '$.name', kind: 'changed type', type: 'number' },
      { path: '$.rating', kind: 'new field', type: 'string' },
      { path: '$.group', kind: 'new field', type: 'object' },
      { path: '$.brands', kind: 'changed type', type: 'array' },
      { path: '$.status', kind: 'changed type', type: 'mixed' },
      { path: '$.company_phone[]', kind: 'changed type', type: 'mixed' },
      { path: '$.sic[].valid', kind: 'new field', type: 'boolean' },
      { path: '$.sic[].value', kind: 'changed type', type: 'object' },
    ]);
  });

  it('limits number and length of reported paths for any field names', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('__proto__', 'constructor', '', '$.a"b'),
    );
    const anything = fc.letrec<{ node: Structure }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('VARCHAR', 'JSON', 'NULL', 'HUGEINT'),
        fc.tuple(tie('node')),
        fc.dictionary(name, tie('node'), { maxKeys: 200 }),
      ),
    })).node;
    fc.assert(
      fc.property(anything, (structure) => {
        const { seen, deviations } = compare(company, structure, '$');
        expect(deviations.length).toBeLessThanOrEqual(100);
        for (const { path } of deviations) {
          expect(path.length).toBeLessThan(1000);
          expect(path).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
        }
        for (const path of seen) expect(path).toMatch(/^\$[\w.[\]]*$/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('declaredFields', () => {
  it('declares the fields that the reference lists for the company record', () => {
    const fields = declaredFields().filter(({ stream, parent }) => stream === 'companies' && parent === '$');
    expect(fields.map(({ path }) => path.slice(2)).toSorted()).toEqual(
      Object.keys(fieldsOf('Company record') ?? {}).toSorted(),
    );
    expect(fields.find(({ path }) => path === '$.size')?.types).toEqual(['string', 'number']);
  });

  it('sees fields inside pages', () => {
    const paths = compare(
      shapeOf(ProspectingResponse),
      { total_companies: 'UBIGINT', data: [{ id: 'UBIGINT', name: 'VARCHAR' }] },
      '$',
    );
    expect(paths.seen).toEqual(['$', '$.total_companies', '$.data', '$.data[]', '$.data[].id', '$.data[].name']);
  });
});

describe('samples of schema drift', () => {
  it('shortens samples, escapes them and omits personal data', () => {
    expect(sampleOf('B+', '$.rating', false)).toBe('"B+"');
    expect(sampleOf(12.5, '$.*.Carbon', false)).toBe('12.5');
    expect(sampleOf(`x\u202e${'y'.repeat(100)}`, '$.rating', false)).toBe(String.raw`"x\u202e${'y'.repeat(57)}…`);
    for (const [value, path] of [
      ['a@b.example', '$.note'],
      ['Ann', '$.director_name'],
      ['+45 1', '$.mobile'],
      [{ a: 1 }, '$.group'],
    ] as const)
      expect(sampleOf(value, path, false)).toBeNull();
    expect(sampleOf('anything', '$.title', true)).toBeNull();
  });

  it('finds the value at a path given by compare', () => {
    const always = () => true;
    const body = { data: [{ id: 1 }, { id: 2, 'a."b': 7 }], '2021': { Cash: 3 } };
    expect(valueAt(body, `$.data[].${memberPath('', 'a."b').slice(1)}`, always)).toBe(7);
    expect(valueAt(body, '$.*.Cash', always)).toBe(3);
    expect(valueAt(body, '$.data[].none', always)).toBeUndefined();
    expect(valueAt([{ a: 1 }, { a: 'x' }], '$[].a', (value) => typeof value === 'string')).toBe('x');
  });
});
