import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFolder } from '../../../src/store/data-folder.js';
import {
  adoptSpools,
  decodePart,
  encodePart,
  footerOf,
  frameOf,
  landRows,
  newestStamp,
  parseFrames,
  partName,
  PartWriter,
  readManifests,
  readPartRows,
  readRunRows,
  recentParts,
  type NewRow,
  type PartTarget,
} from '../../../src/landing/index.js';
import { Data } from '../../../src/store/data.js';
import { sha256 } from '../../../src/base/hash.js';
import { endOf, rowOf } from '../../../src/landing/frames.js';

const PART_NAME = /^part-companies-00000\.[0-9a-f]{12}\.parquet$/;

let target: PartTarget;

beforeEach(() => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-landing-'));
  target = {
    data: new Data(dataDir),
    stream: 'companies',
    run: 'run-1',
    date: '2026-11-20',
    market: 'demo',
    chunk: 'companies-00000',
  };
});

afterEach(() => rmSync(target.data.dataDir, { recursive: true, force: true }));

const row = (entity: string, body = `{"id":${entity}}`): NewRow => ({
  request_key: `GET /v2/companies/${entity}`,
  entity_id: entity,
  row_kind: 'record',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.123Z',
  body,
});

describe('a part', () => {
  it('lands a part with its manifest and reads it back', async () => {
    await landRows(target, [row('1'), row('2')]);
    const [part] = readManifests(target.data.dataDir);
    expect(part).toMatchObject({
      stream: 'companies',
      run: 'run-1',
      rows: 2,
      part: expect.stringMatching(PART_NAME) as string,
    });
    expect(part && readPartRows(part).map(({ entity_id, body }) => [entity_id, body])).toEqual([
      ['1', '{"id":1}'],
      ['2', '{"id":2}'],
    ]);
  });

  it('writes no part before the commit or without rows', async () => {
    const writer = await PartWriter.open(target);
    await writer.append(row('1'));
    expect(readManifests(target.data.dataDir)).toEqual([]);
    await writer.close();
    const empty = await PartWriter.open({ ...target, chunk: 'companies-00001' });
    expect(await empty.commit()).toBeUndefined();
    expect(readManifests(target.data.dataDir)).toEqual([]);
  });

  it('lands a chunk once, however often', async () => {
    await landRows(target, [row('1')]);
    await landRows(target, [row('1')]);
    expect(readRunRows(target)).toHaveLength(1);
  });

  it('rejects a part that differs from its manifest, by name', async () => {
    await landRows(target, [row('1')]);
    const [part] = readManifests(target.data.dataDir);
    const file = part?.file ?? '';
    const bytes = readFileSync(file);
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(() => readRunRows(target)).toThrow(/part-companies-00000\.[0-9a-f]{12}\.parquet differs from its manifest/);
    rmSync(file);
    expect(() => readRunRows(target)).toThrow(/is missing/);
  });
});

describe('a chunk of a killed worker', () => {
  it('resumes from a spool that was cut at any byte', async () => {
    const first = await PartWriter.open(target);
    for (const entity of ['1', '2']) await first.append(row(entity));
    await first.close();
    const spool = path.join(runFolder(target), '_spool', 'part-companies-00000.spool');
    const bytes = readFileSync(spool);
    const ends = [...parseFrames(bytes)].map((frame) => endOf(frame, bytes));
    for (let cut = 0; cut <= bytes.length; cut += cut < bytes.length - 3 ? 7 : 1) {
      writeFileSync(spool, bytes.subarray(0, cut));
      const whole = ['1', '2'].slice(0, ends.filter((end) => end <= cut).length);
      const second = await PartWriter.open(target);
      expect(second.rows.map((found) => found.entity_id)).toEqual(whole);
      await second.append(row('3'));
      await second.close();
      const third = await PartWriter.open(target);
      expect(third.rows.map((found) => found.entity_id)).toEqual([...whole, '3']);
      await third.close();
    }
    await (await PartWriter.open(target)).commit();
    expect(readRunRows(target).map((found) => found.entity_id)).toEqual(['1', '2', '3']);
  });

  it('commits the same part after a crash between part and manifest', async () => {
    const first = await PartWriter.open(target);
    await first.append(row('1'));
    await first.close();
    const rows = first.rows.map((landed) => ({ ...rowOf(landed) }));
    const bytes = await encodePart(target, first.rows);
    writeFileSync(path.join(runFolder(target), partName(target.chunk, sha256(bytes))), bytes);
    expect(readManifests(target.data.dataDir)).toEqual([]);

    const second = await PartWriter.open(target);
    await second.commit();
    expect(readRunRows(target)).toEqual(rows);
  });
});

describe('the landing zone', () => {
  const landAt = (more: Partial<PartTarget>, fetched: string): Promise<void> =>
    landRows({ ...target, ...more }, [{ ...row('1'), fetched_at: `2026-11-${fetched}:00:00.000Z` }]);
  const chunks = (parts: { stream: string; run: string }[]): string[] =>
    parts.map(({ stream, run }) => `${stream} ${run}`);

  it('lists parts by stream, date and run, with filters', async () => {
    await landAt({ run: 'b', date: '2026-11-21' }, '21T02');
    await landAt({ run: 'b', stream: 'financials' }, '20T03');
    await landAt({ run: 'a' }, '20T02');
    // Files that file managers leave.
    for (const stray of ['.DS_Store', 'companies/.DS_Store', 'companies/date=2026-11-20/.DS_Store'])
      writeFileSync(path.join(target.data.dataDir, 'landing', stray), '');
    writeFileSync(path.join(runFolder({ ...target, run: 'a' }), '_manifest', '.part-x.json.tmp'), '{');
    writeFileSync(path.join(runFolder({ ...target, run: 'a' }), '_manifest', 'part-x.json.1.tmp'), '{');
    const { dataDir } = target.data;
    expect(chunks(readManifests(dataDir))).toEqual(['companies a', 'companies b', 'financials b']);
    expect(chunks(readManifests(dataDir, { stream: 'companies' }))).toEqual(['companies a', 'companies b']);
    expect(chunks(readManifests(dataDir, { run: 'b' }))).toEqual(['companies b', 'financials b']);
    expect(chunks(readManifests(dataDir, { stream: 'tenders' }))).toEqual([]);
    expect(readManifests(path.join(dataDir, 'empty'))).toEqual([]);
  });

  it('names an unreadable manifest, or reports it and continues', async () => {
    await landAt({ run: 'a' }, '20T02');
    await landAt({ run: 'b' }, '20T03');
    const broken = path.join(runFolder({ ...target, run: 'a' }), '_manifest', 'part-companies-00000.json');
    writeFileSync(broken, '{"part"');
    const fault = { type: 'LandingCorrupt', message: `Landing zone: ${broken} is no manifest.` };
    expect(() => readManifests(target.data.dataDir)).toThrow(expect.objectContaining(fault) as Error);
    const faults: unknown[] = [];
    expect(chunks(readManifests(target.data.dataDir, {}, (each) => faults.push(each)))).toEqual(['companies b']);
    expect(faults).toEqual([expect.objectContaining(fault)]);
  });

  it('reads a manifest again after it was edited or replaced', async () => {
    await landRows(target, [row('1')]);
    const file = path.join(runFolder(target), '_manifest', 'part-companies-00000.json');
    const setRows = (rows: number): string => readFileSync(file, 'utf8').replace(/"rows": ?\d/, `"rows":${rows}`);
    const rowsRead = (): number[] => readManifests(target.data.dataDir).map(({ rows }) => rows);
    expect(rowsRead()).toEqual([1]);
    writeFileSync(file, setRows(7));
    expect(rowsRead()).toEqual([7]);
    writeFileSync(`${file}.new`, setRows(8));
    renameSync(`${file}.new`, file);
    expect(rowsRead()).toEqual([8]);
  });

  it('finds the newest stamp since a day and among run records', async () => {
    const { dataDir } = target.data;
    expect(newestStamp(dataDir, '2026-11-20')).toBeNull();
    await landAt({ run: 'old', date: '2026-11-18' }, '25T02');
    expect(newestStamp(dataDir, '2026-11-19')).toBeNull();
    await landAt({ run: 'a', date: '2026-11-19' }, '19T02');
    expect(newestStamp(dataDir, '2026-11-19')).toEqual({ stamp: '2026-11-19T02:00:00.000Z', run: 'a' });
    await landAt({ run: 'c', stream: 'financials' }, '20T05');
    await landAt({ run: 'b', stream: 'tenders' }, '20T03');
    expect(newestStamp(dataDir, '2026-11-19')).toEqual({ stamp: '2026-11-20T05:00:00.000Z', run: 'c' });
    await landAt({ run: 'older', stream: 'runs', date: '2026-11-10' }, '21T02');
    expect(newestStamp(dataDir, '2026-11-19')).toEqual({ stamp: '2026-11-21T02:00:00.000Z', run: 'older' });
    expect(newestStamp(dataDir, '2026-11-18')).toEqual({ stamp: '2026-11-25T02:00:00.000Z', run: 'old' });
  });

  it('lists parts from the latest date back, skipping unreadable ones', async () => {
    await landAt({ run: 'a', date: '2026-11-19' }, '19T02');
    await landAt({ run: 'c', date: '2026-11-21' }, '21T02');
    await landAt({ run: 'b', date: '2026-11-21' }, '21T02');
    await landAt({ run: 'd', stream: 'financials' }, '21T02');
    expect([...recentParts(target.data.dataDir, 'companies')].map(({ run }) => run)).toEqual(['c', 'b', 'a']);
    writeFileSync(path.join(runFolder({ ...target, run: 'b', date: '2026-11-21' }), '_manifest', 'part-x.json'), '{');
    expect([...recentParts(target.data.dataDir, 'companies')].map(({ run }) => run)).toEqual(['c', 'b', 'a']);
  });

  it('omits parts that were compacted into another', async () => {
    await landRows(target, [row('1')]);
    const [first] = readManifests(target.data.dataDir);
    await landRows({ ...target, chunk: 'companies-00001' }, [row('2')]);
    await landRows({ ...target, chunk: 'joined-0123' }, [row('1')]);
    const file = path.join(runFolder(target), '_manifest', 'part-joined-0123.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...manifest, replaces: [{ part: first!.part, sha256: '' }] }));
    expect(readManifests(target.data.dataDir).map(({ chunk }) => chunk)).toEqual(['companies-00001', 'joined-0123']);
    expect(readRunRows(target)).toHaveLength(2);
  });

  it('stores the first and last stamp of a part', async () => {
    const at = (hour: string) => ({ ...row(hour), fetched_at: `2026-11-20T${hour}:00:00.000Z` });
    await landRows(target, [at('05'), at('02'), at('03')]);
    expect(readManifests(target.data.dataDir)[0]).toMatchObject({
      firstFetchedAt: '2026-11-20T02:00:00.000Z',
      lastFetchedAt: '2026-11-20T05:00:00.000Z',
    });
  });
});

it("writes stream, run, date and chunk into the part's footer", () => {
  const { data: _, market: __, ...place } = target;
  expect(footerOf(target)).toEqual({ schema_version: '1', ...place, market: 'demo' });
  expect(footerOf({ ...target, market: null })).toEqual({ schema_version: '1', ...place });
});

describe('an interrupted chunk', () => {
  it('completes rows of an earlier attempt without duplicates', async () => {
    const first = await PartWriter.open(target);
    await first.append(row('1'));
    await first.close();
    await landRows(target, [row('1'), row('2')]);
    expect(readRunRows(target).map(({ entity_id }) => entity_id)).toEqual(['1', '2']);
  });

  it('drops rows of an earlier attempt when not resuming', async () => {
    const first = await PartWriter.open(target);
    await first.append(row('1'));
    await first.close();
    const second = await PartWriter.open(target, { resume: false });
    expect(second.rows).toEqual([]);
    await second.append(row('2'));
    await second.commit({ as: 'renamed' });
    expect(readManifests(target.data.dataDir).map(({ chunk, rows }) => [chunk, rows])).toEqual([['renamed', 1]]);
  });
});

describe('spools of a run that ends', () => {
  it('lands spools of unfinished chunks and removes partial listings', async () => {
    const unfinished = await PartWriter.open(target);
    await unfinished.append(row('1'));
    await unfinished.close();
    const half = await PartWriter.open({ ...target, stream: 'tenders', chunk: 'tenders' });
    await half.append(row('x'));
    await half.close();
    await adoptSpools(target);
    await adoptSpools(target);
    expect(readManifests(target.data.dataDir).map(({ stream, rows }) => [stream, rows])).toEqual([['companies', 1]]);
    expect(await PartWriter.committed(target)).toBeUndefined();
    const files = readdirSync(target.data.dataDir, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('.spool'))).toEqual([]);
  });
});

it('names a spool of an older version, and says what to do', async () => {
  const attempt = await PartWriter.open(target);
  await attempt.append(row('1'));
  await attempt.close();
  const spool = path.join(runFolder(target), '_spool', 'part-companies-00000.spool');
  renameSync(spool, spool.replace('.spool', '.ndjson'));
  await expect(adoptSpools(target)).rejects.toMatchObject({
    type: 'LandingCorrupt',
    message: expect.stringContaining('.ndjson holds answers that an older version has not landed') as string,
    todo: expect.stringContaining('Start the version that wrote it') as string,
  });
  rmSync(spool.replace('.spool', '.ndjson'));
  expect(await adoptSpools(target)).toBe(0);
});

describe('an attempt that goes on after its run was ended', () => {
  it('does not commit rows that were landed from its spool', async () => {
    const attempt = await PartWriter.open(target);
    await attempt.append(row('1'));
    expect(await adoptSpools(target)).toBe(1);
    await expect(attempt.commit()).rejects.toThrow('was removed while it was written');
    expect(readRunRows(target).map(({ entity_id }) => entity_id)).toEqual(['1']);
  });

  it('leaves no second copy if it was killed between its commit and the removal of its spool', async () => {
    const attempt = await PartWriter.open(target);
    await attempt.append(row('1'));
    const spool = path.join(runFolder(target), '_spool', 'part-companies-00000.spool');
    const lines = readFileSync(spool);
    await attempt.commit();
    writeFileSync(spool, lines);
    expect(await adoptSpools(target)).toBe(0);
    expect(existsSync(spool)).toBe(false);
    expect(readRunRows(target).map(({ entity_id }) => entity_id)).toEqual(['1']);
  });

  it('leaves rows that land once, whatever was landed before', async () => {
    const rowAt = (second: number): NewRow => ({ ...row('1'), fetched_at: `2026-11-20T02:00:0${second}.000Z` });
    const attempt = await PartWriter.open(target);
    await attempt.append(rowAt(1));
    const spool = path.join(runFolder(target), '_spool', 'part-companies-00000.spool');
    const first = readFileSync(spool);
    await adoptSpools(target);
    // The attempt began its spool again: it holds an old row and a new one.
    await attempt.close();
    writeFileSync(spool, first);
    const again = await PartWriter.open(target);
    await again.append(rowAt(2));
    await again.close();
    await Promise.all([adoptSpools(target), adoptSpools(target)]);
    // The parts of adopted spools are named by a hash of the content, so their order means nothing.
    const seconds = readRunRows(target).map(({ fetched_at }) => fetched_at.slice(17, 19));
    expect(seconds.toSorted()).toEqual(['01', '02']);
  });
});

describe('a chunk of two workers', () => {
  const partFiles = (): string[] => readdirSync(runFolder(target)).filter((name) => /\.parquet|\.tmp/.test(name));

  it('keeps the first commit of a chunk, whatever another worker brings', async () => {
    const frozen = await PartWriter.open(target);
    await frozen.append(row('1'));
    const second = await PartWriter.open(target);
    await second.append(row('2'));
    const committed = await second.commit();
    const before = readRunRows(target);
    await frozen.append(row('3'));
    expect(await frozen.commit()).toEqual(committed);
    expect(readRunRows(target)).toEqual(before);
    expect(partFiles()).toEqual([committed!.part]);
    expect(existsSync(path.join(runFolder(target), '_spool', 'part-companies-00000.spool'))).toBe(false);
  });

  it('commits one complete part when six workers commit at once', async () => {
    const writers = await Promise.all(Array.from({ length: 6 }, () => PartWriter.open(target)));
    await Promise.all(writers.map((writer, i) => writer.append(row(String(i)))));
    const committed = await Promise.all(writers.map((writer) => writer.commit()));
    const [part, ...more] = readManifests(target.data.dataDir);
    expect(more).toEqual([]);
    const { file, ...manifest } = part!;
    expect(committed).toEqual(committed.map(() => manifest));
    expect(readPartRows(part!)).toHaveLength(1);
    expect(partFiles()).toEqual([path.basename(file)]);
  });

  it('does not land a chunk again after its part was compacted', async () => {
    const frozen = await PartWriter.open(target);
    await frozen.append(row('1'));
    await landRows({ ...target, chunk: 'joined-0123' }, [row('1'), row('2')]);
    const [joined] = readManifests(target.data.dataDir);
    const { file: _, ...manifest } = joined!;
    writeFileSync(
      path.join(runFolder(target), '_manifest', 'part-joined-0123.json'),
      JSON.stringify({ ...manifest, replaces: [{ part: 'part-companies-00000.parquet', sha256: '' }] }),
    );
    await frozen.commit();
    expect(readRunRows(target).map((found) => found.entity_id)).toEqual(['1', '2']);
  });

  it('finds a compacted part among others and under its other name', async () => {
    await landRows({ ...target, chunk: 'joined-0123' }, [row('1')]);
    const file = path.join(runFolder(target), '_manifest', 'part-joined-0123.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
    const replaces = ['part-a.parquet', 'part-companies-00000.0123456789ab.parquet', 'part-b.parquet'];
    writeFileSync(file, JSON.stringify({ ...manifest, replaces: replaces.map((part) => ({ part, sha256: '' })) }));
    const frozen = await PartWriter.open(target);
    await frozen.append(row('1'));
    await frozen.commit();
    expect(readManifests(target.data.dataDir).map(({ chunk }) => chunk)).toEqual(['joined-0123']);
  });

  it('commits its own part if a crash left a different one', async () => {
    const first = await PartWriter.open(target);
    await first.append(row('1'));
    writeFileSync(path.join(runFolder(target), partName(target.chunk, sha256('something else'))), 'something else');
    await first.commit();
    expect(readRunRows(target)).toHaveLength(1);
  });
});

it('reads back any text and null entities from a part', async () => {
  const text = fc.string({ unit: 'grapheme' });
  const rows = fc.array(
    fc.record({
      request_key: text,
      entity_id: fc.option(text),
      row_kind: text,
      status: fc.integer({ min: 0, max: 599 }),
      fetched_at: fc
        .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString()),
      body: fc.oneof(
        text,
        fc.string({ unit: 'binary' }),
        text.map((each) => `\uFEFF${each}`),
      ),
    }),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(rows, async (landed) => {
      const frames = landed.map(frameOf);
      expect(decodePart(await encodePart(target, frames))).toEqual(
        landed.map((each, i) => ({ ...each, sha256: frames[i]?.sha256 })),
      );
    }),
    { numRuns: 50 },
  );
});

it('reads back a part with several row groups, and bodies longer than a page', async () => {
  const rows = Array.from({ length: 1_201 }, (_, i) => ({
    ...row(String(i), i % 400 === 0 ? 'ä€𝄞'.repeat(400_000) : `{"id":${i}}`),
    entity_id: i % 3 === 0 ? null : String(i),
    status: i < 600 ? 200 : 400 + (i % 100),
  }));
  const read = decodePart(await encodePart(target, rows.map(frameOf)));
  expect(read).toEqual(rows.map((each) => ({ ...each, sha256: frameOf(each).sha256 })));
});

it('refuses a part whose text is not UTF-8', async () => {
  const bytes = await encodePart(target, [{ ...frameOf(row('1')), body: Buffer.from([0x7b, 0xff, 0x7d]) }]);
  expect(() => decodePart(bytes)).toThrow('not valid');
});
