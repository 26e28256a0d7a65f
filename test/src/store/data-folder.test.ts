import path from 'node:path';
import { expect, test } from 'vitest';
import * as paths from '../../../src/store/data-folder.js';
import { Data } from '../../../src/store/data.js';

const PLACE = { data: new Data('d'), stream: 'companies', run: 'r1', date: '2026-11-20' } as const;

test('keeps the documented file paths of a data folder', () => {
  const places: [string, string][] = [
    [paths.identityFile('d'), 'd/folder.json'],
    [paths.runFolder(PLACE), 'd/landing/companies/date=2026-11-20/run=r1'],
    [paths.removalLock('d'), 'd/landing/removal.lock'],
    [paths.chunkFile(paths.dueDir('d', 'r1', 'companies'), 12), 'd/runs/r1/due/companies/chunk-00012.json'],
    [paths.duePlanFile(paths.dueDir('d', 'r1', 'companies')), 'd/runs/r1/due/companies/plan.json'],
    [paths.requestsFile('d', 'r1', 'companies-00012'), 'd/runs/r1/requests/companies-00012.ndjson'],
    [paths.knownMarketFile('d', 'r1'), 'd/runs/r1/known-market.json'],
    [paths.calibrationFile('d', 'a/b'), 'd/calibration/a%2Fb.json'],
    [paths.rejectsFile(PLACE, 'part-x.parquet'), 'd/rejects/companies/date=2026-11-20/run=r1/part-x.ndjson'],
    [paths.listFile('d', 'x.csv'), 'd/resolve/x.csv'],
    [paths.warehouseFile('d'), 'd/warehouse/tidemark.duckdb'],
    [paths.replayFile('d'), 'd/warehouse/tidemark.duckdb.rebuild'],
    [paths.writerLock('d'), 'd/warehouse/writer.lock'],
    [paths.publishedFile('d'), 'd/published/market.duckdb'],
    [paths.publishedLake('d'), 'd/published/lake'],
    [paths.currentLink('d'), 'd/published/current'],
    [paths.fileOf(paths.buildDir('d', 'b1')), 'd/published/builds/b1/market.duckdb'],
    [paths.lakeOf(paths.buildDir('d', 'b1')), 'd/published/builds/b1/lake'],
    [paths.switchLock('d'), 'd/published/switch.lock'],
    [paths.rebuiltDir('d', { from: '2026-11-01' }), 'd/rebuilt/2026-11-01..'],
    [paths.envFile('d', 'me'), 'd/env/me.duckdb'],
    [paths.webhookSecretFile('d'), 'd/secrets/webhook-secret'],
    [paths.devServerFile('d'), 'd/temporal/server.json'],
    [paths.runningSandboxFile('d'), 'd/secrets/sandbox.json'],
    [paths.devServerLock('d'), 'd/temporal/owner.lock'],
    [paths.devServerStartLock('d'), 'd/temporal/start.lock'],
    [paths.logFile('d', 'worker'), 'd/logs/worker.log'],
    [paths.reportFile('d'), 'd/report.html'],
    [paths.demoMark('d'), 'd/demo-began'],
    [paths.demoDir('d'), 'd/demo'],
  ];
  expect(places.map(([file]) => file)).toEqual(places.map(([, file]) => path.normalize(file)));
});
