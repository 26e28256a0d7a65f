import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { spoolFile } from '../../../../src/maintenance/forget/answers.js';
import { removeUncommitted } from '../../../../src/maintenance/forget/other-files.js';
import { Data } from '../../../../src/store/data.js';
import { spoolOf } from '../../../helpers/spool.js';

it('drops rows from a spool, as from a landed part', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-spool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'part-employees-00000.spool');
  const rowOf = (entity_id: string) => ({
    request_key: `POST /v2/employees ${entity_id}`,
    entity_id,
    row_kind: 'last-1',
    status: 200,
    fetched_at: '2026-01-01T00:00:00.000Z',
    body: `{"data":[{"name":"Person ${entity_id}"}]}`,
  });
  writeFileSync(file, spoolOf([rowOf('1'), rowOf('2')]));
  expect(await spoolFile('employees', file).rewrite((_, row) => (row.entity_id === '1' ? null : row))).toBe(1);
  expect(readFileSync(file)).toEqual(spoolOf([rowOf('2')]));
});

it('removes the temporary file that a killed receiver left', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-spool-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const spools = path.join(dataDir, 'landing', 'watch_events', 'date=2026-11-20', 'run=webhook', '_spool');
  mkdirSync(spools, { recursive: true });
  const [left, young] = ['1', '2'].map((n) => path.join(spools, `.part-r0-000000-0.spool.${n}.17.0a1b2c3d.tmp`));
  for (const file of [left!, young!]) writeFileSync(file, 'a delivery about a person');
  const now = Date.now();
  utimesSync(left!, now / 1_000, now / 1_000 - 3_600);
  await removeUncommitted(new Data(dataDir), now);
  expect(readdirSync(spools)).toEqual([path.basename(young!)]);
});
