import { hostname } from 'node:os';
import path from 'node:path';
import { RebuildInput, type RebuildResult } from '../../schemas/pipeline/run.js';
import { tableSettings, type Config } from '../config/config.js';
import { rebuiltDir } from '../store/data-folder.js';
import { readDataFolder } from '../store/folder-identity.js';
import { parseInput } from '../base/parse-input.js';
import { rebuildWarehouse, type RebuildRequest } from './rebuild.js';
import type { Data } from '../store/data.js';

/**
 * Replays the landing zone for the workflow `rebuildWarehouse`. A range of dates gets its own folder in `rebuilt/`,
 * because a warehouse of some nights must not replace the complete warehouse. Copies the build to no other place.
 * @throws TidemarkError `InvalidInput` with the wrong field and the allowed input
 */
export async function rebuildRange(
  { config, data }: { config: Config; data: Data },
  input: unknown,
  { now, onStep }: Required<Pick<RebuildRequest, 'now' | 'onStep'>>,
): Promise<RebuildResult> {
  const { dataDir, readers } = config;
  const example = '{"from": "2026-11-01", "to": "2026-11-30"}; both are optional';
  const range = parseInput(RebuildInput, input, example);
  const { from, to } = range;
  const into = from === undefined && to === undefined ? undefined : rebuiltDir(dataDir, range);
  const { parts, rows, rejects, failedAudits, notes, faults, published } = await rebuildWarehouse(data, {
    now,
    ...range,
    into,
    readers,
    keep: config.publish.keep,
    ...tableSettings(config, data),
    onStep,
  });
  const folder = readDataFolder(dataDir) ?? { id: '', path: dataDir, host: hostname() };
  return {
    parts,
    rows,
    rejects,
    failedAudits,
    notes,
    faults,
    into: into === undefined ? '' : path.relative(dataDir, into),
    published: published.file,
    folder,
  };
}
