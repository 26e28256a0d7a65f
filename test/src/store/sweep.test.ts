import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { sweep } from '../../../src/store/working-copy.js';

it('removes large old parts and old runs, and nothing else', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-sweep-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const file = (name: string, days: number, bytes = 300 * 1024): string => {
    const place = path.join(dataDir, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, Buffer.alloc(bytes));
    const at = Date.now() / 1_000 - days * 86_400;
    utimesSync(place, at, at);
    utimesSync(path.dirname(place), at, at);
    return place;
  };
  const folder = 'landing/companies/date=2026-11-20/run=run-1';
  const removed = [file(`${folder}/part-1.parquet`, 3), file('runs/run-1/known-market.json', 31)];
  const kept = [
    file(`${folder}/part-2.parquet`, 1),
    file('landing/runs/date=2026-11-20/run=run-1/part-close.parquet', 300, 2_000),
    file(`${folder}/_manifest/part-1.json`, 300),
    file(`${folder}/_spool/part-3.spool`, 20),
    file('runs/run-2/known-market.json', 20),
    file('warehouse/tidemark.duckdb', 300),
  ];
  sweep({ dataDir });
  expect(removed.filter((place) => existsSync(place))).toEqual([]);
  expect(kept.filter((place) => !existsSync(place))).toEqual([]);
});
