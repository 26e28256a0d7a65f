import { expect, it } from 'vitest';
import { kindOf, spoolOfPiece, unfinishedRuns } from '../../../../src/maintenance/copy/kinds.js';

const RUN = 'landing/companies/date=2026-11-20/run=r1';

it.each([
  [`${RUN}/part-00000.parquet`, 'part'],
  [`${RUN}/part-00000.0123456789ab.parquet`, 'part'],
  [`${RUN}/_manifest/part-00000.json`, 'manifest'],
  [`${RUN}/_spool/part-00000.spool`, 'spool'],
  [`${RUN}/_spool/part-00000.spool.pieces/1-ab-000000.spool`, 'piece'],
  [`${RUN}/_spool/part-00000.spool.12`, 'piece'],
  ['runs/r1/requests/00000.ndjson', 'state'],
  ['runs/r1/sent/0a1b-1', 'state'],
  ['calibration/nordics.json', 'state'],
  ['owner-jobs/open/1.json', 'state'],
  ['secrets/payee-salt', 'secret'],
  ['secrets/personal-data-key', 'secret'],
  ['secrets/forgotten', 'state'],
])('copies %s as %s', (key, kind) => {
  expect(kindOf(key)).toBe(kind);
});

it.each([
  'runs/r1/due/companies/plan.json',
  `${RUN}/_spool/complete-tenders.json`,
  `${RUN}/_spool/part-tenders-00000.spool.0123abcd-0123abcd`,
  'landing/removal.lock/1.0/holder.json',
  'landing/removal.lock.0123/holder.json',
  'secrets/api-key',
  'secrets/login.json',
  'secrets/sandbox.json',
  'secrets/forget-unproven.json',
  'temporal/temporal.db',
  'logs/worker.log',
  'env/dev.duckdb',
  'published/current.json',
  'working-copy.json',
])('does not copy %s', (key) => {
  expect(kindOf(key)).toBeUndefined();
});

it('finds the spool of a piece', () => {
  expect(spoolOfPiece(`${RUN}/_spool/part-1.spool.pieces/1-ab-000000.spool`)).toBe(`${RUN}/_spool/part-1.spool`);
  expect(spoolOfPiece(`${RUN}/_spool/part-1.spool.12`)).toBe(`${RUN}/_spool/part-1.spool`);
});

it('finds runs without an end', () => {
  const record = (run: string, name: string): string =>
    `landing/runs/date=2026-11-20/run=${run}/_manifest/part-${name}.json`;
  const keys = [
    record('open', 'open'),
    record('ended', 'open'),
    record('ended', 'close'),
    record('failed', 'open'),
    record('failed', 'end'),
    record('joined', 'joined-1'),
    'landing/companies/date=2026-11-20/run=other/_manifest/part-open.json',
  ];
  expect(unfinishedRuns(keys)).toEqual(['2026-11-20 open']);
});
