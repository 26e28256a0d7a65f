/*
 * Reads published tables in a loop, as analysts do, until SIGTERM. Prints one line of JSON for each error and a last
 * one with the number of reads.
 * Usage: node --import tsx reader.ts DATA_FOLDER
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryFile } from '../../helpers/project.js';

const published = path.join(process.argv[2] ?? '', 'published');
const LOOKS = 30;
let reads = 0;
const end = new AbortController();
process.on('SIGTERM', () => end.abort());
const look = async (what: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    console.log(JSON.stringify({ at: new Date().toISOString(), what, error: String(error), builds: buildsThere() }));
  }
};
const buildsThere = (): string[] => {
  const folder = path.join(published, 'builds');
  return existsSync(folder) ? readdirSync(folder) : [];
};

console.log('reading');
while (!end.signal.aborted) {
  let build = '';
  // Checks the links continuously, and the linked files from time to time.
  for (let i = 0; i < LOOKS; i++) {
    await look('the link `current` leads nowhere', async () => {
      build = realpathSync(path.join(published, 'current'));
    });
    await sleep(5);
  }
  // Simulates a slow reader between link and file; the build must outlive the pause.
  await sleep(400);
  if (build !== '') await look(`the build ${path.basename(build)} is not whole`, () => expectWhole(build));
  await look('market.duckdb cannot be opened', async () => {
    await queryFile(path.join(published, 'market.duckdb'), 'SELECT 1');
  });
  reads++;
}
console.log(JSON.stringify({ reads }));

async function expectWhole(folder: string): Promise<void> {
  const [row] = await queryFile(
    path.join(folder, 'market.duckdb'),
    'SELECT count(*)::INTEGER AS companies, (SELECT count(*)::INTEGER FROM meta.receipt) AS receipts FROM core.companies',
  );
  if (row?.['receipts'] !== 1 || row['companies'] === 0) throw new Error(`it holds ${JSON.stringify(row)}`);
  if (!existsSync(path.join(folder, 'lake', 'core'))) throw new Error('its lake is not there');
}
