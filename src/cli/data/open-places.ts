import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { configPath, type Config } from '../../config/config.js';
import { isBucket } from '../../store/places.js';
import type { Place } from '../../maintenance/copy/place.js';
import { buildsIn } from '../../warehouse/builds/manifest.js';
import { openRemote } from '../../warehouse/builds/copy-published.js';
import { openStorage } from '../../store/open.js';
import { configOption } from '../context.js';
import { loadInForce } from '../../config/config-in-force.js';

/** Reads the configuration if there is one. Opens no working copy. */
export function findConfig(command: Command): Config | undefined {
  const option = configOption(command);
  return option !== undefined || existsSync(configPath(option)) ? loadInForce(option) : undefined;
}

/**
 * Opens a folder or a bucket. For the bucket of the configuration, `storage` says how to reach it; for another bucket,
 * the environment says it.
 * @throws TidemarkError `InvalidConfig` for a wrong address or missing credentials
 */
export function openDataPlace(name: string, config: Config | undefined): Place {
  if (!isBucket(name)) {
    const dataDir = path.resolve(name);
    return { storage: openStorage(dataDir), dataDir };
  }
  const place = trimSlash(name);
  const isOurs = config?.bucket !== undefined && trimSlash(config.bucket) === place;
  const published = isOurs ? openRemote(config) : openStorage(`${place}/published`);
  return { storage: openStorage(place, isOurs ? config.storage : {}), builds: published && buildsIn(published) };
}

function trimSlash(place: string): string {
  return place.replace(/\/+$/, '');
}
