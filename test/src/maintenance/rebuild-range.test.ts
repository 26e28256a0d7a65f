import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listBuilds } from '../../../src/warehouse/builds/builds.js';
import { queryPublished } from '../../../src/warehouse/builds/published.js';
import { ConfigSchema } from '../../../src/config/config-schema.js';
import type { Config } from '../../../src/config/config.js';
import { openDataFolder } from '../../../src/store/folder-identity.js';
import { rebuildRange } from '../../../src/maintenance/rebuild-range.js';
import { land, temporaryDataDir } from '../../helpers/warehouse.js';
import { Data } from '../../../src/store/data.js';

const NOW = new Date('2026-11-20T12:00:00Z');

/** A data folder with one company on each of three days. */
async function landDays(): Promise<string> {
  const dataDir = temporaryDataDir();
  for (const id of [1, 2, 3]) {
    const date = `2026-11-0${id}`;
    const body = { id, name: `C${id}` };
    await land(dataDir, [
      { stream: 'companies', entity: String(id), run: `n${id}`, date, at: `${date}T02:00:00.000Z`, body },
    ]);
  }
  return dataDir;
}

const placeOf = (dataDir: string): { config: Config; data: Data } => ({
  config: {
    ...ConfigSchema.parse({ api: { baseUrl: 'http://127.0.0.1:1' } }),
    file: 'f',
    fileHash: 'h',
    dataDir,
    hash: 'h',
  },
  data: new Data(dataDir),
});

describe('rebuildRange', () => {
  test('rebuilds the warehouse in use without a range, and reports steps, counts and folder', async () => {
    const dataDir = await landDays();
    const folder = await openDataFolder(dataDir);
    const steps: string[] = [];
    const made = await rebuildRange(placeOf(dataDir), null, { now: NOW, onStep: (step) => steps.push(step) });
    expect(made).toEqual({
      parts: 3,
      rows: 3,
      rejects: 0,
      failedAudits: [],
      notes: [],
      faults: [],
      into: '',
      published: path.join('published', 'market.duckdb'),
      folder,
    });
    expect(steps).toEqual(['load', 'models', 'publish']);
    expect(listBuilds(dataDir)).toMatchObject([{ run: 'replay', builtAt: NOW.toISOString() }]);
  });

  test('rebuilds a range in its own folder', async () => {
    const dataDir = await landDays();
    const onStep = (): void => undefined;
    const made = await rebuildRange(placeOf(dataDir), { from: '2026-11-02' }, { now: NOW, onStep });
    expect(made).toMatchObject({ parts: 2, into: path.join('rebuilt', '2026-11-02..') });
    const into = path.join(dataDir, made.into);
    expect((await queryPublished(into, 'SELECT company_id FROM core.companies ORDER BY 1')).flat()).toEqual([2, 3]);
    expect(existsSync(path.join(dataDir, 'published'))).toBe(false);

    const until = await rebuildRange(placeOf(dataDir), { to: '2026-11-02' }, { now: NOW, onStep });
    expect(until).toMatchObject({ parts: 2, into: path.join('rebuilt', '..2026-11-02') });
  });

  test('rejects unknown fields and names the allowed ones', async () => {
    const wrong = rebuildRange(placeOf(temporaryDataDir()), { form: '2026-11-02' }, { now: NOW, onStep: () => {} });
    await expect(wrong).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining('form') as string,
      todo: expect.stringMatching(/"from".*"to".*both are optional/) as string,
    });
  });
});
