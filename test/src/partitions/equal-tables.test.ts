import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { answer, nights } from '../../helpers/random-answers.js';
import { land, temporaryDataDir, type Answer } from '../../helpers/warehouse.js';
import { buildDivided, buildWhole, differences, readAll, takeRejects, update } from './partitioned.js';

const CASES = new URL('../../sql/cases/', import.meta.url);

/** The answers of all model cases: of every stream, many of them odd. */
function answersOfCases(part: 'given' | 'later'): Answer[] {
  return readdirSync(CASES).flatMap((name) => {
    const cases = parse(readFileSync(new URL(name, CASES), 'utf8')) as { given?: Answer[]; later?: Answer[] }[];
    return cases.flatMap((one) => (Array.isArray(one[part]) ? one[part] : [])).filter(({ stream }) => stream);
  });
}

/** Expects equal tables after a first build of `first`, and after a later night with `later`. */
async function expectEqual(first: Answer[], later: Answer[], of: number): Promise<void> {
  const dataDir = temporaryDataDir();
  mkdirSync(`${dataDir}/rejects`);
  await land(dataDir, first);
  const whole = await buildWhole(dataDir);
  const rejects = takeRejects(dataDir);
  mkdirSync(`${dataDir}/rejects`);
  const divided = await buildDivided(dataDir, of);
  try {
    expect(takeRejects(dataDir)).toEqual(rejects);
    expect(differences(await readAll(whole), await readAll(divided))).toEqual([]);
    await land(dataDir, later);
    await update(whole, dataDir);
    await update(divided, dataDir);
    expect(differences(await readAll(whole), await readAll(divided))).toEqual([]);
  } finally {
    await whole.close();
    await divided.close();
  }
}

describe('a rebuild from partitions', () => {
  test.each([1, 3])(
    'has the tables of a single build for the answers of all model cases (%d partitions)',
    async (of) => {
      const given = answersOfCases('given');
      expect(given.length).toBeGreaterThan(500);
      await expectEqual(given, answersOfCases('later'), of);
    },
  );

  test('has the tables of a single build for random answers and a random later night', async () => {
    const some = fc.array(answer, { minLength: 30, maxLength: 60 }).map((answers) => answers.flat());
    await fc.assert(
      fc.asyncProperty(some, some, fc.integer({ min: 1, max: 5 }), (first, later, of) =>
        expectEqual([...first, ...nights.slice(0, 6)], [...later, ...nights.slice(6)], of),
      ),
      { numRuns: 3, endOnFailure: true },
    );
  });
});
