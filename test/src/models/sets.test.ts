import { expect, it } from 'vitest';
import { previousSet, type AppliedSet } from '../../../src/models/sets.js';

/** Sets in the order they came into force; a rollback names the set it restored. */
function applied(...sets: { files: Record<string, string>; ofSet?: number }[]): AppliedSet[] {
  return sets.map(({ files, ofSet = null }, i) => ({
    set: i + 1,
    origin: ofSet === null ? 'run' : 'rollback',
    ofSet,
    appliedAt: '2026-11-20T02:00:00Z',
    files: new Map(Object.entries(files)),
  }));
}

const a = { 'core/x.sql': 'a' };
const b = { 'core/x.sql': 'b' };
const c = { 'core/x.sql': 'b', 'core/y.sql': 'c' };

it('rolls back to the last earlier set with other files', () => {
  expect(previousSet([])).toBeUndefined();
  expect(previousSet(applied({ files: a }))).toBeUndefined();
  expect(previousSet(applied({ files: a }, { files: b }))?.set).toBe(1);
  expect(previousSet(applied({ files: a }, { files: b }, { files: b }))?.set).toBe(1);
  expect(previousSet(applied({ files: a }, { files: b }, { files: c }))?.set).toBe(2);
});

it('rolls back further after a rollback', () => {
  expect(previousSet(applied({ files: a }, { files: b }, { files: c }, { files: b, ofSet: 2 }))?.set).toBe(1);
  expect(previousSet(applied({ files: a }, { files: b }, { files: a, ofSet: 1 }))).toBeUndefined();
});

it('names the set that a rollback restored, not the rollback', () => {
  expect(previousSet(applied({ files: a }, { files: b }, { files: a, ofSet: 1 }, { files: c }))?.set).toBe(1);
});

it.each(['macros/m.sql', 'seeds/s.csv'])('compares %s only if both sets kept shared files', (shared) => {
  expect(previousSet(applied({ files: a }, { files: { ...a, [shared]: 'm' } }))).toBeUndefined();
  expect(previousSet(applied({ files: { ...a, [shared]: 'l' } }, { files: { ...a, [shared]: 'm' } }))?.set).toBe(1);
  expect(previousSet(applied({ files: { ...a, [shared]: 'm' } }, { files: { ...b } }))?.set).toBe(1);
});
