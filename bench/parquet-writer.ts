import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { LandedRow } from '../schemas/pipeline/landing.js';
import { encodePart, type PartTarget } from '../src/landing/index.js';
import { createWorld } from '../sandbox/world/index.js';
import { medians, printMedians } from './rounds.js';

const REPORTS = 2_000;
const target: PartTarget = {
  dataDir: '',
  stream: 'financials',
  run: 'r',
  date: '2026-11-20',
  market: null,
  chunk: 'c',
};

/**
 * Compares three ways to write report bodies to one file: parquet-wasm (zstd; used by Tidemark), hyparquet-writer
 * (snappy) and plain NDJSON.
 */
export async function benchParquetWriter(): Promise<void> {
  const world = createWorld({ companies: REPORTS, tenders: 0, seed: 1, date: '2026-11-20' });
  const rows = world.companyIds(0).map((id): LandedRow => {
    const body = JSON.stringify(world.financialReport(id, 0));
    return {
      request_key: `GET /v2/financial/${id}`,
      entity_id: String(id),
      segment: 'record',
      status: 200,
      fetched_at: '2026-11-20T02:00:00.000Z',
      body,
      sha256: '0'.repeat(64),
    };
  });
  const sizes: Record<string, string> = {};
  const size = (name: string, bytes: number): void => void (sizes[name] = `${(bytes / 1024).toFixed(0)} KiB`);
  const columns = (['request_key', 'entity_id', 'segment', 'fetched_at', 'body', 'sha256'] as const).map((name) => ({
    name,
    data: rows.map((row) => row[name]),
    type: 'STRING' as const,
  }));
  process.stdout.write(`parquet-writer: ${rows.length} financial reports into one file\n`);
  const result = await medians({
    ndjson: () => {
      const text = rows.map((row) => JSON.stringify(row)).join('\n');
      writeFileSync(path.join(tmpdir(), 'tidemark-bench.ndjson'), text);
      size('ndjson', Buffer.byteLength(text));
    },
    'parquet-wasm zstd': () => size('parquet-wasm zstd', encodePart(target, rows).byteLength),
    'hyparquet-writer snappy': () =>
      size('hyparquet-writer snappy', parquetWriteBuffer({ columnData: columns }).byteLength),
  });
  printMedians(result, 'ndjson', sizes);
}
