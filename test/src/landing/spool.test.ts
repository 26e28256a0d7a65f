import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frameOf, parseFrames, Spool, type Frame } from '../../../src/landing/index.js';
import { waitUntil } from '../../helpers/sandbox.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-spool-'));
  file = path.join(folder, '_spool', 'part-x.spool');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const row = (entity: string): Frame =>
  frameOf({
    request_key: `GET /v2/companies/${entity}`,
    entity_id: entity,
    row_kind: 'record',
    status: 200,
    fetched_at: '2026-11-20T02:00:00.123Z',
    body: `{"id":${entity}}`,
  });
const ids = (frames: Iterable<Frame>): (string | null)[] => [...frames].map(({ entity_id }) => entity_id);
const written = (): (string | null)[] => ids(parseFrames(readFileSync(file)));

describe('frames that a spool holds back', () => {
  it('are written together as soon as the given number waits', async () => {
    const spool = await Spool.open(file);
    spool.add(row('1'), 3);
    spool.add(row('2'), 3);
    expect(written()).toEqual([]);
    spool.add(row('3'), 3);
    expect(written()).toEqual(['1', '2', '3']);
    await spool.close();
  });

  it('are written after a short time, even if no more frames follow', async () => {
    const spool = await Spool.open(file);
    spool.add(row('1'), 100);
    await waitUntil('the frame is written', async () => written().length === 1);
    expect(written()).toEqual(['1']);
    await spool.close();
  });

  it('are written with a frame that may not wait, and before sync() and close()', async () => {
    const spool = await Spool.open(file);
    spool.add(row('1'), 100);
    spool.add(row('2'), 1);
    expect(written()).toEqual(['1', '2']);
    spool.add(row('3'), 100);
    await spool.sync();
    expect(written()).toEqual(['1', '2', '3']);
    spool.add(row('4'), 100);
    await spool.close();
    expect(written()).toEqual(['1', '2', '3', '4']);
    expect(ids((await Spool.open(file)).found)).toEqual(['1', '2', '3', '4']);
  });

  it('are removed with the spool', async () => {
    const spool = await Spool.open(file);
    spool.add(row('1'), 100);
    await spool.discard();
    expect(existsSync(file)).toBe(false);
  });
});
