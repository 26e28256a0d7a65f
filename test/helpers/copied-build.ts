import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { publish } from '../../src/warehouse/publish/publish.js';
import { copyCurrentBuild } from '../../src/warehouse/builds/copy-build.js';
import { LocalFolder } from '../../src/store/local-folder.js';
import { runCli } from './run-cli.js';
import { marketNight, prepareBuilt } from './warehouse.js';
import { Data } from '../../src/store/data.js';

/** A build that was copied to a folder, and a machine that has only this folder and a cache. */
export interface CopiedBuild {
  /** The folder with the copy. */
  shared: string;
  /** Folder of the other machine, without a configuration. */
  elsewhere: string;
  /** Runs the command line on the other machine. */
  run: (...args: string[]) => ReturnType<typeof runCli>;
  remove: () => void;
  /** Publishes a night with these companies, and copies the build. */
  next: (date: string, ids: number[]) => Promise<void>;
}

/** Publishes the night of 2026-11-20 with three companies, and copies the build to a folder. */
export async function copiedBuild(): Promise<CopiedBuild> {
  const root = mkdtempSync(path.join(tmpdir(), 'tidemark-copied-'));
  const dataDir = path.join(root, 'data');
  const elsewhere = path.join(root, 'elsewhere');
  mkdirSync(elsewhere);
  const shared = path.join(elsewhere, "it's [a] {share}, *");
  const next: CopiedBuild['next'] = async (date, ids) => {
    const run = `r-${date}`;
    await prepareBuilt(dataDir, marketNight({ run, date, ids }));
    const warehouse = await openWarehouse(new Data(dataDir));
    try {
      await publish(warehouse, dataDir, { run, now: new Date(`${date}T04:00:00Z`) });
    } finally {
      await warehouse.close();
    }
    await copyCurrentBuild(new LocalFolder(shared), dataDir, { keepSeconds: 60, what: 'a test' });
  };
  await next('2026-11-20', [1, 2, 3]);
  const env = { TIDEMARK_CACHE_DIR: path.join(elsewhere, 'cache') };
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  return { shared, elsewhere, next, remove, run: (...args) => runCli(args, { cwd: elsewhere, env }) };
}
