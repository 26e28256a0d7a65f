import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { withMemory } from '../../../src/warehouse/duckdb/in-memory.js';
import { landRows, pullManifests, pullRows, readManifests } from '../../../src/landing/index.js';
import { removeReplaced, replaceParts } from '../../../src/maintenance/compact/replace-parts.js';
import { becomeWriter, mayWrite } from '../../../src/warehouse/duckdb/writer.js';
import type { SharedData } from '../../../src/store/data.js';
import { keysBelow, makeMachines } from './machines.js';

const STREAM = 'companies';

async function landChunk(data: SharedData, chunk: string): Promise<void> {
  const row = {
    stream: STREAM,
    run: 'r1',
    date: '2026-11-01',
    market: 'm',
    request_key: `GET /v2/companies/${chunk}`,
    entity_id: chunk,
    row_kind: '',
    status: 200,
    fetched_at: '2026-11-01T00:00:00.000Z',
    body: '{}',
  } as const;
  await landRows({ data, stream: STREAM, run: 'r1', date: '2026-11-01', market: 'm', chunk }, [row]);
}

/** Joins all parts that a machine knows into one. */
async function joinAll(copy: SharedData): Promise<void> {
  const { dataDir } = copy;
  await pullManifests(copy);
  await withMemory(path.join(dataDir, 'a-test'), async (db) => {
    await replaceParts(db, copy, readManifests(dataDir), (relation) => `SELECT * FROM ${relation}`);
  });
}

const rowsOf = ({ dataDir }: SharedData): number =>
  readManifests(dataDir).reduce((sum, { rows, file }) => sum + (existsSync(file) ? rows : 0), 0);

it('removes parts from a machine that another machine has joined', async () => {
  const [a, b, c] = (await makeMachines(3)) as [SharedData, SharedData, SharedData];
  const { lease } = await becomeWriter(a, { what: 'a test' });
  for (const chunk of ['1', '2']) await landChunk(a, chunk);
  for (const machine of [a, b, c]) await pullRows(machine, { streams: [STREAM] });
  await joinAll(a);
  // Until the parts are removed, their manifests are there beside the joined one.
  await pullRows(b, { streams: [STREAM] });
  expect(rowsOf(b)).toBe(2);
  await removeReplaced(a);
  await landChunk(b, '3');
  await joinAll(a);
  await removeReplaced(a);
  // This machine has never seen the first joined part, which the second one replaces.
  for (const machine of [a, b, c]) {
    await pullRows(machine, { streams: [STREAM] });
    expect(readManifests(machine.dataDir)).toHaveLength(1);
    expect(rowsOf(machine)).toBe(3);
  }
  expect((await keysBelow(a, 'landing/')).filter((key) => key.endsWith('.parquet'))).toHaveLength(1);
  await lease.release();
});

it('replaces nothing after another process took the lease', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  await becomeWriter(a, { what: 'a test' });
  for (const chunk of ['1', '2']) await landChunk(a, chunk);
  const before = await keysBelow(a, 'landing/');
  expect(mayWrite(a)).toBe(true);
  const found = await a.storage.read('warehouse/writer.json');
  const state = JSON.parse(found?.body.toString('utf8') ?? '') as { token: number };
  const theirs = { ...state, token: state.token + 1, id: 'of another process' };
  await a.storage.replace('warehouse/writer.json', Buffer.from(JSON.stringify(theirs)), found?.version ?? '');
  await expect(joinAll(a)).rejects.toThrow('another process took the lease');
  // Also when a heartbeat has noticed the loss.
  expect(mayWrite(a)).toBe(false);
  await expect(joinAll(a)).rejects.toThrow('another process took the lease');
  expect(readManifests(a.dataDir)).toHaveLength(2);
  await pullManifests(b);
  expect((await keysBelow(b, 'landing/')).filter((key) => key.endsWith('.json'))).toEqual(
    before.filter((key) => key.endsWith('.json')),
  );
});
