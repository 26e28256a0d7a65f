import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { About, LiveAnswer } from '../../../schemas/explorer/api.js';
import { follow } from '../../../src/warehouse/builds/follow.js';
import { LocalFolder } from '../../../src/store/local-folder.js';
import { copiedBuild, type CopiedBuild } from '../../helpers/copied-build.js';
import { startTestExplorer } from '../../helpers/explorer.js';
import { cleanEnv, startProcess } from '../../helpers/processes.js';
import { waitUntil } from '../../helpers/sandbox.js';

let copied: CopiedBuild;

beforeAll(async () => {
  copied = await copiedBuild();
});

afterAll(() => copied?.remove());

it('writes a report of a copied build without a configuration', async () => {
  const { code, stdout, stderr } = await copied.run('report', '--from', copied.shared);
  expect(code, stderr).toBe(0);
  expect(stdout.trim()).toMatch(/report\.html$/);
  expect(readFileSync(path.join(copied.elsewhere, 'report.html'), 'utf8')).toContain('2026-11-20');
  const json = await copied.run('report', '--from', copied.shared, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ nights: [{ date: '2026-11-20' }] });
});

it('serves the explorer of a copied build without a configuration', async () => {
  const explorer = await startProcess(['bin/tidemark.mjs', 'ui', '--from', copied.shared], {
    cwd: copied.elsewhere,
    env: cleanEnv({ TIDEMARK_CACHE_DIR: path.join(copied.elsewhere, 'cache') }),
    ready: /^Explorer +http/,
  });
  try {
    const address = /http\S+/.exec(explorer.readyLine)?.[0] ?? '';
    const cookie = (await fetch(address, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? '';
    const ask = async <T>(at: string) =>
      (await (await fetch(new URL(at, address), { headers: { cookie } })).json()) as T;
    const about = await ask<About>('/api/v1/about');
    expect(about).toMatchObject({ build: '20261120T040000000Z-r-2026-11-20', data_folder: copied.shared });
    const live = await ask<LiveAnswer>('/api/v1/live');
    expect(live).toMatchObject({ reachable: false, running: [] });
    expect(live.error).toContain(`reads a copy from ${copied.shared}`);
  } finally {
    await explorer.stop('SIGINT');
  }
});

it('shows a new version, and keeps the last one while the place is gone', async () => {
  const faults: string[] = [];
  const newest = await follow(new LocalFolder(copied.shared), {
    cache: path.join(copied.elsewhere, 'other-cache'),
    everyMs: 0,
    onDownload: () => undefined,
    onFault: (reason) => faults.push(reason),
  });
  const explorer = await startTestExplorer('a copy', {
    findBuild: () => ({ file: newest().file, name: newest().build }),
  });
  const build = async () => (await explorer.json<About>('/api/v1/about')).build;
  try {
    expect(await build()).toMatch(/r-2026-11-20$/);
    renameSync(copied.shared, `${copied.shared}.away`);
    await waitUntil('a check failed', async () => (await build()).endsWith('r-2026-11-20') && faults.length > 0);
    renameSync(`${copied.shared}.away`, copied.shared);
    await copied.next('2026-11-21', [1, 2, 3, 4]);
    await waitUntil('the new version is shown', async () => (await build()).endsWith('r-2026-11-21'));
    expect(faults).toEqual([expect.stringContaining('current.json does not exist')]);
  } finally {
    await explorer.stop();
  }
});
