import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  searchPeople,
  type PeopleAnswer,
  type PeopleDimension,
  type PeopleQuestion,
  type PeopleReach,
} from '../../../../../src/crawl/search/plan/people.js';

interface Person {
  id: string;
  seniority: number | null;
  department: number | null;
}

const DIMENSIONS: PeopleDimension[] = [
  { key: 'seniority', values: [14, 15, 16] },
  { key: 'department', values: [1, 2, 3, 4] },
];

type Api = (question: PeopleQuestion) => PeopleAnswer;

/** An API that shows ten pages of `size` people. */
function apiOf(people: readonly Person[], size: number): Api {
  return ({ filters, page }) => {
    const found = people.filter(
      ({ seniority, department }) =>
        (filters.seniority === undefined || filters.seniority === seniority) &&
        (filters.department === undefined || filters.department === department),
    );
    const ids = found.slice((page - 1) * size, page * size).map(({ id }) => id);
    return { total: found.length, pages: Math.ceil(found.length / size), rows: ids.length, ids, foreign: 0 };
  };
}

function drive(api: Api, dimensions = DIMENSIONS): { reach: PeopleReach; asked: PeopleQuestion[] } {
  const search = searchPeople(dimensions);
  const asked: PeopleQuestion[] = [];
  let step = search.next();
  while (!step.done) {
    asked.push(step.value);
    if (asked.length > 2_000) throw new Error('the search does not end');
    step = search.next(api(step.value));
  }
  return { reach: step.value, asked };
}

function manyPeople(count: number, of: (n: number) => Omit<Person, 'id'>): Person[] {
  return Array.from({ length: count }, (_, n) => ({ id: String(n), ...of(n) }));
}

const people = fc
  .array(
    fc.record({
      seniority: fc.constantFrom(14, 15, 16, null),
      department: fc.constantFrom(1, 2, 3, 4, null),
    }),
    { maxLength: 120 },
  )
  .map((list) => list.map((person, n) => ({ id: String(n), ...person })));
const size = fc.integer({ min: 1, max: 8 });

describe('searchPeople', () => {
  it('finds everyone whom a search of at most ten pages can show', () => {
    fc.assert(
      fc.property(people, size, (all, rows) => {
        const { reach } = drive(apiOf(all, rows));
        const inReach = (person: Person): boolean => {
          const { seniority, department } = person;
          const parts = [
            {},
            ...(seniority === null ? [] : [{ seniority }]),
            ...(department === null ? [] : [{ department }]),
            ...(seniority === null || department === null ? [] : [{ seniority, department }]),
          ];
          return parts.some((filters) => {
            for (let page = 1; page <= 10; page++) {
              if (apiOf(all, rows)({ filters, page, label: '' })?.ids.includes(person.id)) return true;
            }
            return false;
          });
        };
        expect(reach.reported).toBe(all.length);
        expect(reach.found).toBe(all.filter(inReach).length);
      }),
    );
  });

  it('names a gap exactly if people are missing', () => {
    fc.assert(
      fc.property(people, size, (all, rows) => {
        const { reach } = drive(apiOf(all, rows));
        expect(reach.gaps.length > 0).toBe(reach.found < all.length);
        const whole = { filters: {}, reported: all.length, found: reach.found };
        if (reach.gaps.length > 0) expect(reach.gaps.at(-1)).toEqual(whole);
      }),
    );
  });

  it('asks no question twice and no page above the tenth', () => {
    fc.assert(
      fc.property(people, size, (all, rows) => {
        const { asked } = drive(apiOf(all, rows));
        const labels = asked.map(({ label }) => label);
        expect(new Set(labels).size).toBe(labels.length);
        expect(asked.every(({ page }) => page >= 1 && page <= 10)).toBe(true);
      }),
    );
  });

  it('reads a company below the page cap with one question for each page', () => {
    fc.assert(
      fc.property(people, size, (all, rows) => {
        fc.pre(all.length <= rows * 10);
        expect(drive(apiOf(all, rows)).asked).toHaveLength(Math.max(1, Math.ceil(all.length / rows)));
      }),
    );
  });

  it('ends and claims nothing false whatever the API answers', () => {
    const answer = fc.option(
      fc.record({
        total: fc.integer({ min: 0, max: 300 }),
        pages: fc.integer({ min: 0, max: 50 }),
        ids: fc.array(fc.integer({ min: 0, max: 200 }).map(String), { maxLength: 5 }),
        foreign: fc.integer({ min: 0, max: 2 }),
      }),
    );
    fc.assert(
      fc.property(fc.infiniteStream(answer), (answers) => {
        const seen = new Set<string>();
        let total = 0;
        const { reach } = drive(({ filters }) => {
          const said = answers.next().value!;
          if (said === null) return null;
          if (Object.keys(filters).length === 0) total = said.total;
          for (const id of said.ids) seen.add(id);
          return { ...said, rows: said.ids.length + said.foreign };
        });
        expect(reach).toMatchObject({ reported: total, found: seen.size });
        if (seen.size < total) expect(reach.foreign || reach.gaps.length > 0).toBe(true);
      }),
    );
  });

  it('repeats the same questions from the same answers', () => {
    fc.assert(
      fc.property(people, size, fc.nat(50), (all, rows, cut) => {
        const { asked, reach } = drive(apiOf(all, rows));
        const kept = new Set(asked.slice(0, cut).map(({ label }) => label));
        const again: string[] = [];
        const resumed = drive((question) => {
          if (!kept.has(question.label)) again.push(question.label);
          return apiOf(all, rows)(question);
        });
        expect(resumed.reach).toEqual(reach);
        expect(again).toEqual(asked.slice(cut).map(({ label }) => label));
      }),
    );
  });

  it('stops splitting by a filter that the API ignores', () => {
    const all = manyPeople(200, () => ({ seniority: 14, department: 1 }));
    const ignoring: Api = (question) => apiOf(all, 5)({ ...question, filters: {} });
    const { reach, asked } = drive(ignoring);
    expect(reach).toMatchObject({ reported: 200, found: 50 });
    expect(asked.length).toBeLessThan(20);
  });

  it('splits by department if the API rejects seniority', () => {
    const all = manyPeople(80, (n) => ({ seniority: 14, department: 1 + (n % 4) }));
    const { reach } = drive((question) => (question.filters.seniority === undefined ? apiOf(all, 5)(question) : null));
    expect(reach).toEqual({ reported: 80, found: 80, foreign: false, gaps: [] });
  });

  it('reads the pages again if people moved between them', () => {
    const all = manyPeople(9, () => ({ seniority: null, department: null }));
    const shown = [
      ['0', '1', '2'],
      ['2', '3', '4'],
      ['6', '7', '8'],
      ['0', '1', '2'],
      ['3', '4', '5'],
      ['6', '7', '8'],
    ];
    const { reach, asked } = drive((question) => ({ ...apiOf(all, 3)(question)!, ids: shown.shift()! }));
    expect(reach).toMatchObject({ reported: 9, found: 9, gaps: [] });
    expect(asked).toHaveLength(5);
  });

  it('asks for the total again if the API lists too few people', () => {
    const all = manyPeople(9, () => ({ seniority: null, department: null }));
    const { reach, asked } = drive((question) => {
      const answer = apiOf(all, 3)(question)!;
      return question.label.endsWith('again') ? answer : { ...answer, total: 10 };
    });
    expect(reach).toEqual({ reported: 9, found: 9, foreign: false, gaps: [] });
    expect(asked.map(({ label }) => label)).toEqual(['1', '2', '3', '4', '1 again']);
  });

  it('stops if the API lists people of other companies only', () => {
    const { reach, asked } = drive(() => ({ total: 5_000, pages: 50, rows: 100, ids: [], foreign: 100 }));
    expect(asked).toHaveLength(1);
    expect(reach).toMatchObject({ foreign: true, found: 0 });
  });
});
