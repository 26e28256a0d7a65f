import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRequests, planWatches } from '../../../../src/cli/watch/plan.js';

describe('planWatches', () => {
  it('starts missing, stops undeclared and changes different watches', () => {
    const watched = new Map([
      ['1', ['company.status']],
      ['2', ['company.status', 'company.name']],
      ['3', ['company.status']],
    ]);
    const plan = planWatches(watched, ['1', '2', '4'], ['company.status', 'company.financial']);
    expect(plan).toEqual({
      start: ['4'],
      stop: ['3'],
      change: [
        { id: '1', add: ['company.financial'], remove: [] },
        { id: '2', add: ['company.financial'], remove: ['company.name'] },
      ],
      unchanged: 0,
    });
    expect(planRequests(plan)).toBe(5);
  });

  it('recognizes a watch field by its earlier name', () => {
    const watched = new Map([['1', ['company_status', 'financial']]]);
    expect(planWatches(watched, ['1'], ['company.status', 'company.financial'])).toMatchObject({
      change: [],
      unchanged: 1,
    });
  });

  it('leaves watch fields unchanged if none are declared or known', () => {
    const watched = new Map([
      ['1', ['company.status']],
      ['2', null],
    ]);
    expect(planWatches(watched, ['1', '2'], undefined)).toMatchObject({ change: [], unchanged: 2 });
    expect(planWatches(new Map([['2', null]]), ['2'], ['company.name'])).toMatchObject({ change: [], unchanged: 1 });
  });

  it('plans nothing after the plan was carried out', () => {
    const ids = fc.array(fc.nat(20).map(String), { maxLength: 12 });
    const fields = fc.uniqueArray(fc.constantFrom('company.name', 'company.status', 'company.vat'), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20).map(String), fields)), ids, fields, (before, declared, wanted) => {
        const watched = new Map<string, string[]>(before);
        const plan = planWatches(watched, declared, wanted);
        for (const id of plan.start) watched.set(id, wanted);
        for (const id of plan.stop) watched.delete(id);
        for (const { id, add, remove } of plan.change) {
          watched.set(
            id,
            [...(watched.get(id) ?? []), ...add].filter((field) => !remove.includes(field)),
          );
        }
        const again = planWatches(watched, declared, wanted);
        expect(planRequests(again)).toBe(0);
        expect(again.unchanged).toBe(new Set(declared).size);
      }),
    );
  });
});
