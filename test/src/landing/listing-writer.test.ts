import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runFolder } from '../../../src/store/data-folder.js';
import {
  adoptSpools,
  finishListing,
  ListingWriter,
  readManifests,
  readRunRows,
  spoolFile,
  type NewRow,
  type PartTarget,
} from '../../../src/landing/index.js';
import { Data } from '../../../src/store/data.js';

let target: PartTarget;

beforeEach(() => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-listing-'));
  target = {
    data: new Data(dataDir),
    stream: 'tenders',
    run: 'run-1',
    date: '2026-11-20',
    market: null,
    chunk: 'tenders',
  };
});
afterEach(() => rmSync(target.data.dataDir, { recursive: true, force: true }));

const page = (n: number): NewRow => ({
  request_key: `GET /v2/tenders?page=${n}`,
  entity_id: null,
  row_kind: 'list',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.000Z',
  body: `{"page":${n}}`,
});
const pages = (): string[] => readRunRows(target).map(({ request_key }) => request_key.split('=')[1] ?? '');
const upTo = (count: number): string[] => [...Array(count).keys()].map(String);
const spools = (): string[] => readdirSync(path.dirname(spoolFile(runFolder(target), '')));

async function read(count: number): Promise<ListingWriter> {
  const writer = await ListingWriter.open(target);
  for (let n = 0; n < count; n++) await writer.append(page(n));
  return writer;
}

it.each([
  [1, [1]],
  [100, [100]],
  [101, [100, 1]],
  [250, [100, 100, 50]],
])('lands %i pages in parts of at most 100', async (count, sizes) => {
  const writer = await read(count);
  expect(writer.rows).toBe(count);
  expect(readManifests(target.data.dataDir)).toEqual([]);
  await writer.commit();
  // The listing's own part comes first by name and holds the last pages; the others follow in order.
  const parts = readManifests(target.data.dataDir).toSorted((a, b) => (a.chunk < b.chunk ? -1 : 1));
  expect(parts.map(({ rows }) => rows)).toEqual([...sizes.slice(-1), ...sizes.slice(0, -1)]);
  expect(parts.find(({ chunk }) => chunk === 'tenders')?.rows).toBe(sizes.at(-1));
  expect(pages().toSorted()).toEqual(upTo(count).toSorted());
  expect(spools()).toEqual([]);
});

it('lands nothing of a listing without pages', async () => {
  const writer = await read(0);
  await writer.commit();
  await writer.close();
  expect(readManifests(target.data.dataDir)).toEqual([]);
  expect(await finishListing(target)).toBe(false);
});

it('drops the pages of an unfinished attempt, and no others', async () => {
  await (await read(101)).close();
  const other = spoolFile(runFolder(target), 'another');
  writeFileSync(other, 'of another chunk');
  expect(await finishListing(target)).toBe(false);
  const writer = await read(2);
  await writer.commit();
  expect(pages()).toEqual(['0', '1']);
  expect(readFileSync(other, 'utf8')).toBe('of another chunk');
});

it.each([0, 1, 2])('resumes a listing after a kill following %i commits', async (committed) => {
  const writer = await read(201);
  const lost = spoolFile(runFolder(target), 'tenders-00000');
  await writer.close();
  const kept = new Map(spools().map((name) => [name, readFileSync(path.join(path.dirname(lost), name))]));
  await (await read(201)).commit();
  const parts = readManifests(target.data.dataDir).toSorted((a, b) =>
    a.chunk === 'tenders' ? 1 : a.chunk < b.chunk ? -1 : 0,
  );
  for (const [i, part] of parts.entries()) {
    if (i < committed) continue;
    rmSync(part.file);
    rmSync(path.join(runFolder(target), '_manifest', `part-${part.chunk}.json`));
    const name = `part-tenders-0000${i}.spool`;
    writeFileSync(path.join(path.dirname(lost), name), kept.get(name)!);
  }
  writeFileSync(path.join(path.dirname(lost), 'complete-tenders.json'), '{"parts":3}\n');
  expect(pages()).toHaveLength(committed * 100);
  await adoptSpools(target);
  expect(pages().toSorted()).toEqual(upTo(201).toSorted());
  expect(spools()).toEqual([]);
  expect(existsSync(lost)).toBe(false);
});
