import { existsSync } from 'node:fs';
import { PEOPLE_STREAMS } from '../../../schemas/streams/people.js';
import { listBuilds } from '../../warehouse/builds/builds.js';
import { buildDir, fileOf, publishedDir, unprovenFile, warehouseFile } from '../../store/data-folder.js';
import type { TableSettings } from '../../config/config.js';
import type { PublishRequest } from '../../warehouse/publish/publish.js';
import type { Lock } from '../../store/lock/lock.js';
import { LandingCorruptError } from '../../warehouse/duckdb/errors.js';
import { withMemory } from '../../warehouse/duckdb/in-memory.js';
import { whileNobodyReplays, whileWriting } from '../../warehouse/duckdb/locks.js';
import { openWarehouse } from '../../warehouse/duckdb/open.js';
import { adoptCompacted, describeGone, readLoadedParts } from '../../warehouse/load/load.js';
import { Adopter } from '../../landing/adopter.js';
import { findPartFault, listParts } from '../../warehouse/load/part-check.js';
import { openFingerprint } from '../../privacy/fingerprint.js';
import { addTombstones, readForgotten, type Subject } from '../../privacy/forgotten.js';
import { ValueFinder } from '../../privacy/value-finder.js';
import { rebuildUnder } from '../rebuild.js';
import { removeReplaced } from '../compact/replace-parts.js';
import { BucketFiles } from './in-bucket.js';
import { Changes, type Reduction } from './changes.js';
import { LandedPeople } from './landed-people.js';
import { findLinked } from './linked.js';
import { removeDerived, removeUncommitted, scrub } from './other-files.js';
import { prove, type Proof } from './prove.js';
import { requireQuiet } from './quiet.js';
import { readUnproven, removeUnproven, saveUnproven } from './unproven.js';
import type { Data } from '../../store/data.js';

/*
 * States of a removal, and their transitions:
 * - none → marked: the tombstones, also of people of a forgotten company, and the file `forget-unproven.json` are on
 *   disk. From now on, no answer about these people is landed.
 * - marked → rewritten: each landed part that names them is replaced, and the old part is removed.
 * - rewritten → rebuilt: the warehouse and the published build are made again from the landing zone. Older builds are
 *   removed.
 * - rebuilt → none: a search found no removed value, and `forget-unproven.json` is removed.
 *
 * After a crash in any state, the next call starts again from `marked`, whatever its arguments are. Each step may be
 * repeated.
 */

/** What to remove. */
export interface ForgetRequest extends Reduction, TableSettings, Pick<PublishRequest, 'readers'> {
  /** People and companies to forget permanently. */
  subjects: readonly Subject[];
  now: Date;
  /** Accept that other people have an address or number of a forgotten person, too. */
  keepShared?: boolean | undefined;
  /** Start a new list of forgotten people, because the old one cannot be read. */
  replaceList?: boolean | undefined;
  onStep?: (step: ForgetStep) => void;
  /**
   * Called after the new build is published, and before the search. With the data in a bucket, gives the build and a
   * checkpoint, and removes all older ones.
   */
  onPublished?: () => Promise<void>;
}

export type ForgetStep = 'read' | 'rewrite' | 'rebuild' | 'search';

/** Result of `forget`. */
export interface Forgot {
  /** Number of changed landed answers. `parts`: number of parts that were written again. */
  rows: number;
  parts: number;
  /** Removed builds, and removed or changed files, relative to the data folder. */
  removed: string[];
  /**
   * Result of the final search. Null when no landed answer had to change, and no part in quarantine is damaged: then
   * there is nothing to search for.
   */
  proof: Proof | null;
}

/**
 * Removes people from the landing zone and from everything made from it. Then searches the data folder for the removed
 * values. With the data in a bucket, does the same with all files of the bucket; the caller is then its writer.
 * @throws WarehouseBusyError while a worker writes the warehouse
 * @throws TidemarkError `WarehouseBusy` while a crawl or a webhook receiver may hold answers about people
 * @throws LandingCorruptError when a landed part is damaged or missing: a rebuild would lose its records
 */
export async function forget(data: Data, request: ForgetRequest): Promise<Forgot> {
  return whileWriting(data, 'tidemark forget', (lock) => forgetUnder(lock, data, request));
}

async function forgetUnder(lock: Lock, data: Data, request: ForgetRequest): Promise<Forgot> {
  const { dataDir } = data;
  const { now, onStep = () => undefined, onPublished = async () => undefined } = request;
  const bucket = await BucketFiles.take(data);
  await requireSound(data, lock);
  // Land the deliveries of dead receivers first. If they land later, they lose their content before anybody collects it.
  await new Adopter(data).adopt();
  await addTombstones(data, request.subjects, { replaceList: request.replaceList });
  requireQuiet(dataDir, Date.now());
  onStep('read');
  const unproven = await readUnproven(data);
  const { rows, parts, changes, damaged } = await whileNobodyReplays(dataDir, 'tidemark forget', () =>
    withMemory(unprovenFile(dataDir), async (db) => {
      await removeReplaced(data);
      await removeUncommitted(data, Date.now());
      const landed = await LandedPeople.open(db, data);
      await addTombstones(data, await findLinked(landed, readForgotten(dataDir)));
      const collected = new Changes(await openFingerprint(data), readForgotten(dataDir), request, unproven);
      await landed.eachWithJobs((stream, row) => collected.collect(stream, row));
      const ofCompanies = await landed.valuesOfCompanies(collected.addresses());
      if (unproven.values.size > 0) await landed.each((stream, row) => collected.noteKept(stream, row, ofCompanies));
      collected.seal(ofCompanies);
      // Collect also what is recognized only now. After a crash in the next step, nobody could collect it again.
      await landed.eachWithJobs((stream, row) => collected.noteChange(stream, row));
      await landed.eachDamaged((stream, row) => collected.noteChange(stream, row));
      await saveUnproven(data, unproven);
      await addTombstones(data, collected.recognized());
      onStep('rewrite');
      const counts = await landed.rewrite(collected.apply);
      await removeReplaced(data);
      return { ...counts, changes: collected, damaged: landed.damaged };
    }),
  );
  if (unproven.values.size === 0 && rows === 0 && damaged.length === 0)
    return { rows, parts, removed: [], proof: null };
  const removed = removeDerived(dataDir);
  const fresh = new Set<string>();
  lock.assertHeld();
  if (existsSync(warehouseFile(dataDir)) || existsSync(publishedDir(dataDir))) {
    onStep('rebuild');
    const before = listBuilds(dataDir).map(({ name }) => name);
    const { personalData, modelsDir, rates, readers } = request;
    await rebuildUnder(lock, data, { now, personalData, modelsDir, rates, readers, keep: 1, graceSeconds: 0 });
    const kept = new Set(listBuilds(dataDir).map(({ name }) => name));
    removed.push(...before.filter((name) => !kept.has(name)).map((name) => `published/builds/${name}`));
    fresh.add(warehouseFile(dataDir));
    for (const name of kept) fresh.add(fileOf(buildDir(dataDir, name)));
    await onPublished();
  }
  onStep('search');
  await bucket.takeParts();
  const sought = { unproven, changes, keepShared: request.keepShared ?? false, fresh, damaged };
  const proof = await prove(dataDir, sought, bucket, async (remaining) => {
    removed.push(...(await scrub(dataDir, new ValueFinder(remaining))));
    await bucket.give();
  });
  if (proof.proven) await removeUnproven(data);
  return { rows, parts, removed, proof };
}

/** Checks that a replay of the landing zone would restore every row of the warehouse. */
async function requireSound(data: Data, lock: Lock): Promise<void> {
  const { dataDir } = data;
  const { parts, faults } = listParts(dataDir);
  if (faults.length === 0 && existsSync(warehouseFile(dataDir))) {
    const warehouse = await openWarehouse(data, { lock });
    try {
      await adoptCompacted(warehouse.db, parts);
      const gone = describeGone(parts, await readLoadedParts(warehouse.db));
      if (gone !== null) faults.push(gone);
    } finally {
      await warehouse.close();
    }
  }
  // DuckDB reads some damaged files, but not all their rows.
  for (const part of parts.filter(({ stream }) => PEOPLE_STREAMS.includes(stream))) {
    const fault = await findPartFault(part);
    if (fault !== undefined) faults.push(fault);
  }
  if (faults.length === 0) return;
  throw new LandingCorruptError(
    faults,
    { parts: 0, rows: 0, rejects: 0 },
    'Nothing was removed. `tidemark forget` builds the warehouse again from the landing zone, which must be complete. Restore the files from a backup. Without a backup, run `tidemark quarantine`, which says what is lost, and `tidemark replay`. Then run `tidemark forget` again.',
  );
}
