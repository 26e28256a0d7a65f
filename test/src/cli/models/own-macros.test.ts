import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { TableDocs } from '../../../../src/warehouse/models/docs.js';
import { emptyFolder, runCli } from '../../../helpers/run-cli.js';
import { mart, writeOwn } from '../../warehouse/models/own/own-folder.js';

it('plans and describes models with own macros and seeds, and names a faulty file', async () => {
  const { dir, remove } = emptyFolder();
  onTestFinished(remove);
  const own = path.join(dir, 'models');
  writeOwn(dir, { 'tidemark.yaml': 'api: { baseUrl: "http://127.0.0.1:1" }\nmodels: ./models\n' });
  writeOwn(own, {
    'macros/regions.sql': 'CREATE MACRO region_code(zip) AS left(zip, 2);',
    'seeds/regions.csv': 'id\n1\n',
    'seeds/regions.yml': 'columns:\n  id: BIGINT\n',
    'marts/regions.sql': mart('regions', "SELECT id FROM seed_regions WHERE region_code('x') = 'x'"),
  });
  const models = (...args: string[]) => runCli(['models', ...args], { cwd: dir });

  const plan = await models('plan');
  expect(plan.stderr).toBe('');
  expect(plan.stdout).toContain('marts.regions');
  expect(plan.stdout).not.toContain('Faults');

  const described = JSON.parse((await models('docs', '--json')).stdout) as TableDocs[];
  expect(described.find(({ table }) => table === 'marts.regions')?.uses).toEqual([
    { kind: 'seed', name: 'seed_regions', path: path.join(own, 'seeds', 'regions.csv') },
    { kind: 'macro', name: 'region_code', path: path.join(own, 'macros', 'regions.sql') },
  ]);
  expect((await models('docs')).stdout).toMatch(
    /^- Macros and seeds: `seed_regions` \(.*regions\.csv`\), `region_code`/m,
  );

  writeOwn(own, { 'seeds/regions.csv': 'id\n1\nx\n' });
  const wrong = await models('plan');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(/regions\.csv has a wrong value or row: line 3: "x" in column id is not a whole number/);
  writeOwn(own, {
    'seeds/regions.csv': 'id\n1\n',
    'macros/regions.sql': 'CREATE MACRO region_code(zip) AS lef(zip, 2)',
  });
  const misspelt = await models('plan');
  expect(misspelt.code).toBe(1);
  expect(misspelt.stderr).toMatch(/regions\.sql, macro region_code: .*lef does not exist! Did you mean "left"\?/);
});
