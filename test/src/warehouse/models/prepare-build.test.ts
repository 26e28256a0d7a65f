import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { sha256 } from '../../../../src/base/hash.js';
import { prepared, type Prepared } from '../../../../src/warehouse/duckdb/prepared.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { queriesOf } from '../../../../src/warehouse/models/parents.js';
import { findBuild } from '../../../helpers/processes.js';

it('a build contains the headers and queries of all models, as parsing gives them', async () => {
  const built = JSON.parse(readFileSync(path.join(findBuild(), 'prepared.json'), 'utf8')) as Prepared;
  const models = await readModels();
  expect(Object.keys(built.headers)).toHaveLength(models.length);
  expect(prepared().headers).toMatchObject(built.headers);
  const found = models.flatMap(queriesOf).map((sql) => [sha256(sql), prepared().queries[sha256(sql)]]);
  expect(built.queries).toMatchObject(JSON.parse(JSON.stringify(Object.fromEntries(found))) as object);
});
