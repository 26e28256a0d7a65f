import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { SharedData } from '../../../src/store/data.js';
import { openData } from '../../../src/store/working-copy.js';

/** Makes the working copies of several machines. A folder takes the place of the bucket: it has the same contract. */
export async function makeMachines(count: number): Promise<SharedData[]> {
  const root = mkdtempSync(path.join(tmpdir(), 'tidemark-machines-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const machines: SharedData[] = [];
  for (let machine = 0; machine < count; machine++) {
    const config = {
      bucket: path.join(root, 'bucket'),
      storage: {},
      dataDir: path.join(root, `data-${machine}`),
    };
    const data = await openData(config);
    if (data.isShared()) machines.push(data);
  }
  return machines;
}

/** Lists the keys below a folder of the data, as the bucket has them. */
export async function keysBelow(copy: SharedData, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of copy.storage.list(prefix)) keys.push(key);
  return keys;
}
