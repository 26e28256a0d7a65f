import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { byHash, type Prepared } from '../../../../src/warehouse/duckdb/prepared.js';
import { parsedQueries, parseQueries } from '../../../../src/warehouse/duckdb/sql-parser.js';
import { parsedHeaders } from '../../../../src/warehouse/models/model-file.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { queriesOf } from '../../../../src/warehouse/models/parents.js';
import { findBuild } from '../../../helpers/processes.js';

it('a build contains the headers and queries of all models, as parsing gives them', async () => {
  const built = JSON.parse(readFileSync(path.join(findBuild(), 'prepared.json'), 'utf8')) as Prepared;
  const models = await readModels();
  expect(Object.keys(built.headers)).toHaveLength(models.length);
  expect(byHash(parsedHeaders())).toMatchObject(built.headers);
  const queries = models.flatMap(queriesOf);
  await parseQueries(queries);
  const parsed = byHash(new Map(queries.map((sql) => [sql, parsedQueries().get(sql)])));
  expect(built.queries).toMatchObject(JSON.parse(JSON.stringify(parsed)) as object);
});
