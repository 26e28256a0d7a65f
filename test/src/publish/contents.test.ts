import { expect, test } from 'vitest';
import { withMemory } from '../../../src/duckdb/in-memory.js';
import { parseModel } from '../../../src/models/models.js';
import { readContents } from '../../../src/publish/contents.js';

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

test('the hash of a table changes if several rows get the same new value', async () => {
  const model = { ...parseModel({ name: 'core/thing.sql', text: FILE }), parents: [], fingerprint: '' };
  await withMemory(':memory:', async (db) => {
    await db.run('CREATE TABLE thing AS SELECT range AS id, 1::BIGINT AS "at" FROM range(60)');
    const before = await readContents(db, model, 'thing');
    await db.run('UPDATE thing SET "at" = 2');
    const after = await readContents(db, model, 'thing');
    expect(after.rows).toBe(before.rows);
    expect(after.hash).not.toBe(before.hash);
  });
});
