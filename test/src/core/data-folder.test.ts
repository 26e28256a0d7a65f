import path from 'node:path';
import { expect, test } from 'vitest';
import * as paths from '../../../src/core/data-folder.js';

test('keeps the documented file paths of a data folder', () => {
  const { buildsDir, chunkFile, currentLink, dueDir, envFile, publishedFile, publishedLake, warehouseFile } = paths;
  expect([
    warehouseFile('d'),
    publishedFile('d'),
    publishedLake('d'),
    currentLink('d'),
    buildsDir('d'),
    envFile('d', 'me'),
    chunkFile(dueDir('d', 'r1', 'companies'), 12),
  ]).toEqual(
    [
      'd/warehouse/tidemark.duckdb',
      'd/published/market.duckdb',
      'd/published/lake',
      'd/published/current',
      'd/published/builds',
      'd/env/me.duckdb',
      'd/runs/r1/due/companies/chunk-00012.json',
    ].map((file) => path.normalize(file)),
  );
});
