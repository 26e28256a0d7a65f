// Changes or reads published builds in a loop until it is killed: `switcher.ts <data> publish|to|prune|read <name>`.
// `read` follows the links as a reader does and prints each fault; the others print unexpected faults only.
// Small files stand in for databases, because only the choice of build is tested.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginBuild, finishBuild, listBuilds } from '../../src/warehouse/builds/builds.js';
import { fileOf, lakeOf, publishedDir } from '../../src/store/data-folder.js';
import { removeOldBuilds, showBuild, showNewBuild } from '../../src/warehouse/builds/switch.js';
import { realpathSync } from 'node:fs';

const [dataDir = '', job = '', name = ''] = process.argv.slice(2);
const PRUNING = { keep: 2, graceSeconds: 3 };

const jobs: Record<string, () => Promise<void>> = {
  async publish() {
    const build = beginBuild(dataDir, { run: name, now: new Date() });
    mkdirSync(lakeOf(build.folder));
    writeFileSync(fileOf(build.folder), build.name);
    writeFileSync(path.join(lakeOf(build.folder), 'data'), build.name);
    finishBuild(dataDir, build);
    await showNewBuild(dataDir, build.name, PRUNING);
  },
  async to() {
    const builds = listBuilds(dataDir);
    const wanted = builds[Math.floor(Math.random() * builds.length)]?.name ?? 'none';
    await showBuild(dataDir, wanted).catch((error: Error) => {
      // Removed since it was listed: reported, and nothing is switched.
      if (!error.message.startsWith('There is no build')) throw error;
    });
  },
  prune: () => removeOldBuilds(dataDir, { ...PRUNING, keep: 1 }),
  async read() {
    // Follows the link before opening, as DuckDB does.
    const folder = realpathSync(path.join(publishedDir(dataDir), 'current'));
    const [file, lake] = [fileOf(folder), path.join(lakeOf(folder), 'data')].map((one) => readFileSync(one, 'utf8'));
    if (file !== path.basename(folder) || lake !== file) throw new Error(`${folder} holds ${file} and ${lake}`);
  },
};

process.stdout.write('begun\n');
for (;;) {
  // A frozen process that lost the lock reports that and changes nothing.
  await jobs[job]?.().catch((error: Error) => {
    if (!error.message.includes('was paused for too long')) process.stdout.write(`fault: ${job}: ${error.message}\n`);
  });
  await sleep(job === 'read' ? 0 : 20);
}
