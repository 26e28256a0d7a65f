import { expect, test } from 'vitest';
import { assembleModels } from '../../../../src/warehouse/models/models.js';
import { findFaults } from '../../../../src/warehouse/models/find-faults.js';

const file = (name: string, sql: string, more = 'audits: []') => ({
  name: `marts/${name}.sql`,
  text: `/*\nmodel: marts.${name}\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n${more}\n*/\n${sql}\n`,
});

test('finds wrong columns, types and audits without a build', async () => {
  const audit = 'audits:\n  - { name: a, severity: warn, sql: FROM marts.wrong_audit WHERE gone > 1 }';
  const { models } = await assembleModels(
    [
      file('right', 'SELECT company_id AS id FROM ledger.reports'),
      file('wrong_column', 'SELECT gone AS id FROM marts.right'),
      file('wrong_type', 'SELECT CAST(id AS VARCHAR) AS id FROM marts.right'),
      file('too_many', 'SELECT id, 1 AS more FROM marts.right'),
      file('wrong_audit', 'SELECT id FROM marts.right', audit),
      file('not_asked', 'SELECT gone AS id FROM marts.right'),
    ],
    [],
  );
  const asked = models.map(({ model }) => model).filter((model) => model !== 'marts.not_asked');
  const found = await findFaults(models, new Set(asked));
  expect(Object.fromEntries(found)).toEqual({
    'marts.wrong_column': [expect.stringMatching(/^Binder Error: .*gone/)],
    'marts.wrong_type': [
      'the query does not return the columns of the header: missing id BIGINT; not in the header id VARCHAR',
    ],
    'marts.too_many': [
      'the query does not return the columns of the header: missing none; not in the header more INTEGER',
    ],
    'marts.wrong_audit': [expect.stringMatching(/^audit a: Binder Error: .*gone/)],
  });
});
