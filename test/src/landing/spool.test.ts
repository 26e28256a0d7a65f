import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import { Spool } from '../../../src/landing/index.js';
import { waitUntil } from '../../helpers/sandbox.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-spool-'));
  file = path.join(folder, '_spool', 'part-x.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const row = (entity: string): LandedRow => ({
  request_key: `GET /v2/companies/${entity}`,
  entity_id: entity,
  row_kind: 'record',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.123Z',
  body: `{"id":${entity}}`,
  sha256: '0'.repeat(64),
});
const written = (): (string | null)[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as LandedRow).entity_id);

describe('lines that a spool holds back', () => {
  it('are written together as soon as the given number waits', async () => {
    const spool = await Spool.open(file);
    expect(spool.add(row('1'), 3)).toBeUndefined();
    expect(spool.add(row('2'), 3)).toBeUndefined();
    expect(written()).toEqual([]);
    await spool.add(row('3'), 3);
    expect(written()).toEqual(['1', '2', '3']);
    await spool.close();
  });

  it('are written after a short time, even if no more lines follow', async () => {
    const spool = await Spool.open(file);
    void spool.add(row('1'), 100);
    await waitUntil('the line is written', async () => written().length === 1);
    expect(written()).toEqual(['1']);
    await spool.close();
  });

  it('are written before a line that is appended, and before sync() and close()', async () => {
    const spool = await Spool.open(file);
    void spool.add(row('1'), 100);
    await spool.append(row('2'));
    expect(written()).toEqual(['1', '2']);
    void spool.add(row('3'), 100);
    await spool.sync();
    expect(written()).toEqual(['1', '2', '3']);
    void spool.add(row('4'), 100);
    await spool.close();
    expect(written()).toEqual(['1', '2', '3', '4']);
    expect((await Spool.open(file)).found.map(({ entity_id }) => entity_id)).toEqual(['1', '2', '3', '4']);
  });

  it('are removed with the spool', async () => {
    const spool = await Spool.open(file);
    void spool.add(row('1'), 100);
    await spool.discard();
    expect(existsSync(file)).toBe(false);
  });
});
