import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import {
  dueDir,
  listsDir,
  logsDir,
  rejectsDir,
  rejectsFile,
  runsDir,
  streamDir,
  unprovenFile,
} from '../../store/data-folder.js';
import { namesIn, writeFileAtomic } from '../../store/files.js';
import { PEOPLE, PEOPLE_STREAMS } from '../../../schemas/streams/people.js';
import { readManifests } from '../../landing/index.js';
import { readForgotten } from '../../privacy/forgotten.js';
import { removeRemakable } from '../../warehouse/publish/free-blocks.js';
import type { ValueFinder } from '../../privacy/value-finder.js';
import { jobFiles } from './answers.js';
import { QUIET_MS } from './quiet.js';
import type { Data } from '../../store/data.js';

/** Removes what a replay or another command can make again. Returns the removed paths, relative to the data folder. */
export function removeDerived(dataDir: string): string[] {
  const rejects = PEOPLE_STREAMS.map((stream) => rejectsDir(dataDir, stream)).filter((folder) => existsSync(folder));
  for (const folder of rejects) rmSync(folder, { recursive: true });
  return [...rejects.map((folder) => path.relative(dataDir, folder)), ...removeRemakable(dataDir)];
}

/**
 * Removes files of killed processes from the streams about people: parts without a manifest, and temporary files. The
 * spool still holds the answers of such a part. Also removes temporary files of an earlier removal, and rejects of parts
 * that are no longer landed.
 * @param now milliseconds; a younger file may belong to a running worker
 */
export async function removeUncommitted(data: Data, now: number): Promise<void> {
  const { dataDir } = data;
  await rm(`${unprovenFile(dataDir)}.tmp`, { recursive: true, force: true });
  const landed = readManifests(dataDir);
  const committed = new Set(landed.map(({ file }) => file));
  const isYoung = (file: string): boolean =>
    now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) < QUIET_MS;
  const left = PEOPLE_STREAMS.flatMap((stream) => filesBelow(streamDir(dataDir, stream))).filter(
    (file) => LEFT_BEHIND.test(file) && !committed.has(file) && !isYoung(file),
  );
  const rejects = new Set(
    landed.flatMap(({ stream, date, run, part, replaces = [] }) =>
      [part, ...replaces.map((one) => one.part)].map((name) => rejectsFile({ data, stream, date, run }, name)),
    ),
  );
  const stray = PEOPLE_STREAMS.flatMap((stream) => filesBelow(rejectsDir(dataDir, stream))).filter(
    (file) => file.endsWith('.ndjson') && !rejects.has(file),
  );
  for (const file of [...left, ...stray]) await data.remove(file);
}

function filesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name));
}

// Temporary files, and parts without a manifest. In quarantine, such a part stays: nobody else has its answers.
const LEFT_BEHIND = /\/run=[^/]+\/(?:[^/]+\.parquet|(?:_(?:quarantine|spool)\/)?[^/]+\.tmp)$/;

/**
 * Removes every text that holds a removed value: lines of logs, copies of lists for `tidemark resolve`, and answers of
 * jobs. The state of a job stays. Removes forgotten people, and questions that name one, from the lists of records to
 * fetch: a later run plans them again.
 * @returns the changed or removed paths, relative to the data folder; without the lists of records to fetch
 */
export async function scrub(dataDir: string, finder: ValueFinder): Promise<string[]> {
  await scrubDueLists(dataDir, finder);
  const lists = namesIn(listsDir(dataDir)).map((name) => path.join(listsDir(dataDir), name));
  const logs = namesIn(logsDir(dataDir)).map((name) => path.join(logsDir(dataDir), name));
  const isHit = (file: string): boolean => statSync(file).isFile() && finder.isIn(readFileSync(file, 'utf8'));
  const removed = lists.filter(isHit);
  for (const file of removed) rmSync(file);
  const changed = logs.filter(isHit);
  for (const file of changed) {
    const lines = readFileSync(file, 'utf8').split('\n');
    // Write into the same file, because a running process has it open and appends to it.
    writeFileSync(file, lines.filter((line) => !finder.isIn(line)).join('\n'));
  }
  const jobs = jobFiles(dataDir).filter(({ file }) => isHit(file));
  for (const job of jobs) await job.rewrite(() => null);
  return [...removed, ...changed, ...jobs.map(({ file }) => file)].map((file) => path.relative(dataDir, file));
}

async function scrubDueLists(dataDir: string, finder: ValueFinder): Promise<void> {
  const forgotten = readForgotten(dataDir);
  const streams = PEOPLE_STREAMS.filter((stream) => PEOPLE[stream]?.asks || PEOPLE[stream]?.entity === 'person');
  for (const folder of namesIn(runsDir(dataDir)).flatMap((run) => streams.map((one) => dueDir(dataDir, run, one)))) {
    for (const name of namesIn(folder).filter((file) => /^(?:chunk|draft)-\d+\.json$/.test(file))) {
      const file = path.join(folder, name);
      const entities = JSON.parse(readFileSync(file, 'utf8')) as { id: string }[];
      const kept = entities.filter(({ id }) => !forgotten?.has('person', id) && !finder.isIn(id));
      if (kept.length < entities.length) await writeFileAtomic(file, JSON.stringify(kept));
    }
  }
}
