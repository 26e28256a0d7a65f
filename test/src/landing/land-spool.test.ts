import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFolder } from '../../../src/store/data-folder.js';
import {
  landFrames,
  PartWriter,
  readManifests,
  readPartRows,
  spoolFile,
  type NewRow,
  type PartTarget,
} from '../../../src/landing/index.js';
import { Data } from '../../../src/store/data.js';
import { readSpool } from '../../../src/landing/spool.js';
import { spoolOf } from '../../helpers/spool.js';

let target: PartTarget;
let spool: string;

beforeEach(() => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-spool-'));
  target = {
    data: new Data(dataDir),
    stream: 'watch_events',
    run: 'webhook',
    date: '2026-11-20',
    market: null,
    chunk: 'r1-0',
  };
  spool = spoolFile(runFolder(target), target.chunk);
  mkdirSync(path.dirname(spool), { recursive: true });
});
afterEach(() => rmSync(target.data.dataDir, { recursive: true, force: true }));

/** Lands a spool and removes it, as `adoptSpools` does. */
async function landSpool(of: PartTarget, options: Parameters<typeof landFrames>[2] = {}): Promise<number> {
  const file = spoolFile(runFolder(of), of.chunk);
  const rows = await landFrames(of, readSpool(file), options);
  rmSync(file, { force: true });
  return rows;
}

const row = (body: string): NewRow => ({
  request_key: 'WEBHOOK /delivery',
  entity_id: null,
  row_kind: 'webhook',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.000Z',
  body,
});
const lines = (all: readonly string[]): Buffer => spoolOf(all.map(row));
const line = (body: string): Buffer => lines([body]);
const bodies = (count: number): string[] => [...Array(count).keys()].map((n) => `body ${n}`);
const landed = (): string[] =>
  readManifests(target.data.dataDir)
    .flatMap(readPartRows)
    .map(({ body }) => body);
const sizes = (): number[] => readManifests(target.data.dataDir).map(({ rows }) => rows);

/** Lands a spool and fails before the part with this number. */
async function landUntil(part: number, limits = { rows: 3, bytes: 1e9 }): Promise<void> {
  let calls = 0;
  const goesOn = (): void => {
    if (++calls > part) throw new Error('killed here');
  };
  await expect(landSpool(target, { limits, goesOn })).rejects.toThrow('killed here');
}

describe('landing of a spool', () => {
  it('lands a spool as parts of limited size', async () => {
    writeFileSync(spool, lines(bodies(10)));
    expect(await landSpool(target, { limits: { rows: 3, bytes: 1e9 } })).toBe(10);
    expect(sizes()).toEqual([3, 3, 3, 1]);
    expect(landed()).toEqual(bodies(10));
  });

  it('splits parts by bytes; a larger row is a part alone', async () => {
    const all = ['a', 'b'.repeat(5_000), 'c', 'd'];
    writeFileSync(spool, lines(all));
    await landSpool(target, { limits: { rows: 100, bytes: 1_000 } });
    expect(sizes()).toEqual([1, 1, 2]);
    expect(landed()).toEqual(all);
  });

  it('fills a part up to its byte limit', async () => {
    const all = ['a', 'b', 'c'];
    writeFileSync(spool, lines(all));
    await landSpool(target, { limits: { rows: 100, bytes: 2 * line('a').length } });
    expect(sizes()).toEqual([2, 1]);
  });

  it('lands nothing without a spool', async () => {
    expect(await landSpool({ ...target, chunk: 'none' })).toBe(0);
    expect(landed()).toEqual([]);
  });

  it('lands each row once after an interruption at any part', async () => {
    for (let part = 0; part <= 4; part++) {
      writeFileSync(spool, lines(bodies(10)));
      await landUntil(part);
      await landSpool(target, { limits: { rows: 4, bytes: 1e9 } });
      expect(landed().toSorted()).toEqual(bodies(10));
      rmSync(runFolder(target), { recursive: true });
      mkdirSync(path.dirname(spool), { recursive: true });
    }
  });

  it('lands each row once when several processes land a spool', async () => {
    writeFileSync(spool, lines(bodies(60)));
    const limits = [2, 3, 5, 7, 11].map((rows) => ({ rows, bytes: 1e9 }));
    const all = await Promise.allSettled(limits.map((limit) => landSpool(target, { limits: limit })));
    expect(all.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(landed().toSorted()).toEqual(bodies(60).toSorted());
  });

  it.each([
    [2, [1, 1]],
    [10, [1, 3, 3, 3]],
  ])("continues a spool of %i rows after another process's smaller part", async (count, expected) => {
    const other = { ...target, data: new Data(path.join(target.data.dataDir, 'other')) };
    const bytes = lines(bodies(count));
    const otherSpool = spoolFile(runFolder(other), other.chunk);
    mkdirSync(path.dirname(otherSpool), { recursive: true });
    writeFileSync(otherSpool, line('body 0'));
    await landSpool(other);
    writeFileSync(spool, bytes);
    let calls = 0;
    const goesOn = (): void => {
      if (++calls === 1) cpSync(runFolder(other), runFolder(target), { recursive: true });
    };
    // The other process has landed the first row.
    expect(await landSpool(target, { limits: { rows: 3, bytes: 1e9 }, goesOn })).toBe(count - 1);
    expect(sizes()).toEqual(expected);
    expect(landed()).toEqual(bodies(count));
  });

  it('does not land a spool again after its parts were compacted', async () => {
    writeFileSync(spool, lines(bodies(5)));
    const before = readFileSync(spool);
    await landSpool(target);
    const [part] = readManifests(target.data.dataDir);
    const { file: _, ...manifest } = part!;
    const folder = path.join(runFolder(target), '_manifest');
    const joined = { ...manifest, chunk: 'joined-1', replaces: [{ part: manifest.part, sha256: manifest.sha256 }] };
    writeFileSync(path.join(folder, 'part-joined-1.json'), JSON.stringify(joined));
    rmSync(path.join(folder, 'part-r1-0.json'));
    writeFileSync(spool, before);
    await landSpool(target);
    expect(await PartWriter.committed(target)).toBeUndefined();
  });

  it('lands the rows before a torn frame', async () => {
    writeFileSync(spool, Buffer.concat([lines(['a', 'b']), line('torn').subarray(0, 40)]));
    expect(await landSpool(target)).toBe(2);
    expect(landed()).toEqual(['a', 'b']);
  });
});
