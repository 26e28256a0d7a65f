import { existsSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { LandingStream } from '../../../../schemas/streams/landing-streams.js';
import { landRows, pullRows, READ_BY_CRAWL, readManifests, readRunRows } from '../../../../src/landing/index.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { becomeWriter } from '../../../../src/warehouse/duckdb/writer.js';
import type { SharedData } from '../../../../src/store/data.js';
import { readProjectFiles } from '../../../repo/project-files.js';
import { openTestWarehouse } from '../../../helpers/warehouse.js';
import { keysBelow, makeMachines } from '../../store/machines.js';

const RUN = { run: 'r1', date: '2026-11-01' };
async function landOne(data: SharedData, stream: LandingStream): Promise<void> {
  const row = {
    request_key: `a request of ${stream}`,
    entity_id: '1',
    row_kind: '',
    status: 404,
    fetched_at: '2026-11-01T00:00:00.000Z',
    body: '{}',
  };
  await landRows({ data, stream, ...RUN, market: 'm', chunk: 'close' }, [row]);
}

it('keeps parts in a shared working copy that a crawl step is about to read', async () => {
  const [copy] = (await makeMachines(1)) as [SharedData];
  const { dataDir } = copy;
  for (const stream of [...READ_BY_CRAWL, 'companies'] as const) await landOne(copy, stream);
  await pullRows(copy, { streams: [...READ_BY_CRAWL] });
  // The warehouse worker of this machine loads between `pullRows` and the read.
  const { lease } = await becomeWriter(copy, { what: 'a test' });
  await loadLanding(await openTestWarehouse(dataDir), copy);
  for (const stream of READ_BY_CRAWL) expect(readRunRows({ data: copy, stream, ...RUN }), stream).toHaveLength(1);
  const [records] = readManifests(dataDir, { stream: 'companies' });
  expect(existsSync(records?.file ?? ''), 'a loaded part that no crawl step reads').toBe(false);
  await lease.release();
});

it('keeps the parts of every stream that the code of the crawl pulls', () => {
  const pulled = [...readProjectFiles(/^src\/crawl\/.*\.ts$/).values()].flatMap((text) => {
    // `pullRows(…, { streams: ['a', 'b'] })`, and `reads: ['a']` of a fetcher.
    return [...text.matchAll(/(?:pullRows\([^;]*?streams|reads): \[([^\]]*)\]/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'(\w+)'/g)].map(([, stream]) => stream),
    );
  });
  // The draft of a due plan reads `companies`. If a file is gone, the run plans without the draft.
  expect(new Set(pulled)).toEqual(new Set([...READ_BY_CRAWL, 'companies']));
});

it('takes a part again that another process removed while it was loaded', async () => {
  const [copy] = (await makeMachines(1)) as [SharedData];
  const { dataDir } = copy;
  await landOne(copy, 'companies');
  const [part] = readManifests(dataDir);
  const { lease } = await becomeWriter(copy, { what: 'a test' });
  let loads = 0;
  const counts = await loadLanding(await openTestWarehouse(dataDir), copy, {
    drift: async () => {
      if (++loads > 1) return;
      // Another load of this working copy drops the file. Then this load begins again, without this check.
      rmSync(part?.file ?? '');
      throw new Error('the check fails');
    },
  });
  expect([counts.parts, counts.driftFault, loads]).toEqual([1, undefined, 2]);
  await lease.release();
});

it('gives the complete raw values of rejects to the bucket', async () => {
  const [copy] = (await makeMachines(1)) as [SharedData];
  const { dataDir } = copy;
  const row = {
    request_key: 'GET /v2/companies/1',
    entity_id: '1',
    row_kind: 'record',
    status: 200,
    fetched_at: '2026-11-01T00:00:00.000Z',
    body: JSON.stringify({ data: 'no company' }),
  };
  await landRows({ data: copy, stream: 'companies', ...RUN, market: 'm', chunk: 'companies-00000' }, [row]);
  const { lease } = await becomeWriter(copy, { what: 'a test' });
  expect(await loadLanding(await openTestWarehouse(dataDir), copy)).toMatchObject({ parts: 1, rejects: 1 });
  const [key = '', ...others] = await keysBelow(copy, 'rejects/');
  expect(others).toEqual([]);
  expect((await copy.storage.read(key))?.body.toString()).toContain('no company');
  await lease.release();
});
