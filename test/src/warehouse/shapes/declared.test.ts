import { describe, expect, it } from 'vitest';
import { declaredFields } from '../../../../src/warehouse/shapes/declared.js';
import { fieldsOf } from '../../../conformance/reference.js';

const pathsOf = (wanted: string): string[] =>
  declaredFields().flatMap(({ route, path }) => (route === wanted ? [path] : []));

describe('declaredFields', () => {
  it('declares the fields that the reference lists for the company record', () => {
    const fields = declaredFields().filter(({ stream, parent }) => stream === 'companies' && parent === '$');
    expect(fields.map(({ path }) => path.slice(2)).toSorted()).toEqual(
      Object.keys(fieldsOf('Company record') ?? {}).toSorted(),
    );
    expect(fields.find(({ path }) => path === '$.size')?.types).toEqual(['string', 'number']);
  });

  it('declares fields inside pages, reports and maps', () => {
    expect(pathsOf('POST /v2/prospecting')).toEqual(
      expect.arrayContaining(['$', '$.total_companies', '$.data', '$.data[]', '$.data[].id', '$.data[].name']),
    );
    expect(pathsOf('GET /v2/financial/{id}')).toEqual(expect.arrayContaining(['$', '$.*', '$.*.Turnover']));
    expect(pathsOf('GET /v1/finder/company/financial')).toContain('$.reports[].indicators.*.value');
  });

  it('never reports a body, an item or a part of a map as missing', () => {
    const optional = declaredFields().filter(({ path }) => path === '$' || path.endsWith('[]') || path.includes('*'));
    expect(new Set(optional.map(({ enough }) => enough))).toEqual(new Set([Number.MAX_SAFE_INTEGER]));
  });
});
