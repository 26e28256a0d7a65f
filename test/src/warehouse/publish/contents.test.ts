import { expect, test } from 'vitest';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { parseModel } from '../../../../src/warehouse/models/models.js';
import { changedContents, readContents } from '../../../../src/warehouse/publish/contents.js';

const FILE = `/*
model: core.thing
kind: table
version: 1
grain: thing
key: [id]
description: Things.
columns:
  id: BIGINT | Id
  at: BIGINT | Time
*/
SELECT 1`;

const model = { ...parseModel({ name: 'core/thing.sql', text: FILE }), parents: [], fingerprint: '' };

test('the hash of a table changes if several rows get the same new value', async () => {
  await withMemory(':memory:', async (db) => {
    await db.run('CREATE TABLE thing AS SELECT range AS id, 1::BIGINT AS "at" FROM range(60)');
    const before = await readContents(db, model, 'thing');
    await db.run('UPDATE thing SET "at" = 2');
    const after = await readContents(db, model, 'thing');
    expect(after.rows).toBe(before.rows);
    expect(after.hash).not.toBe(before.hash);
  });
});

test('computes the contents of a table from the rows that changed', async () => {
  await withMemory(':memory:', async (db) => {
    const rows = (from: number, to: number, at: number) =>
      `(SELECT range AS id, ${at}::BIGINT AS "at" FROM range(${from}, ${to}))`;
    const before = await readContents(db, model, rows(0, 60, 1));
    const removed = await readContents(db, model, rows(40, 60, 1));
    const added = await readContents(db, model, rows(40, 90, 2));
    const after = await readContents(db, model, `(FROM ${rows(0, 40, 1)} UNION ALL FROM ${rows(40, 90, 2)})`);
    expect(changedContents(before, removed, added)).toEqual(after);
    expect(changedContents(before, before, { rows: 0, hash: '' })).toEqual({ rows: 0, hash: '' });
  });
});
