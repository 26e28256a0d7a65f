import type { Database } from '../duckdb/database.js';
import { assembleModels, type ModelSet } from './models.js';
import { OWN, readOwnFiles } from './own/own-files.js';
import { readShared, type SqlFile } from '../duckdb/sql-files.js';
import { sha256 } from '../../base/hash.js';

/** The kind of command or run that applied a set of models. */
export type SetOrigin = 'run' | 'replay' | 'apply' | 'rollback';

/** A set of models that was applied. */
export interface AppliedSet {
  /** Number of the set, from 1. */
  set: number;
  origin: SetOrigin;
  /** Number of the set that a rollback restored. Null if no rollback applied this set. */
  ofSet: number | null;
  /** ISO time in UTC. */
  appliedAt: string;
  /** SHA-256 of each file's text, by file name. */
  files: Map<string, string>;
}

/**
 * Reads the sets of models that were applied, oldest first.
 * @param options.last true: reads only the last one
 */
export async function readSets(db: Database, { last = false } = {}): Promise<AppliedSet[]> {
  const rows = await db.rows<{ set: number; origin: SetOrigin; of_set: number | null; at: string; files: string }>(
    `SELECT set_id AS set, origin, of_set, strftime(applied_at, '%Y-%m-%dT%H:%M:%SZ') AS at,
       CAST(to_json(map(list(file), list(sha256))) AS VARCHAR) AS files
     FROM base.model_sets JOIN ledger.model_set_files USING (set_id)
     ${last ? 'WHERE set_id = (SELECT max(set_id) FROM base.model_sets)' : ''}
     GROUP BY ALL ORDER BY set_id`,
  );
  return rows.map(({ set, origin, of_set: ofSet, at, files }) => ({
    set,
    origin,
    ofSet,
    appliedAt: at,
    files: new Map(Object.entries(JSON.parse(files) as Record<string, string>)),
  }));
}

/**
 * Returns the set of models that a rollback restored. Runs use this set until `models apply`. Returns undefined when
 * runs use the model files.
 */
export async function heldSet(db: Database): Promise<AppliedSet | undefined> {
  const [last] = await readSets(db, { last: true });
  return last?.origin === 'rollback' ? last : undefined;
}

/**
 * Reads the models of a set from the stored texts. Uses the macros and seeds on disk if the set has none.
 * @param modelsDir Folder with the user's own models
 */
export async function readSet(db: Database, { set }: Pick<AppliedSet, 'set'>, modelsDir?: string): Promise<ModelSet> {
  const files = await db.rows<{ name: string; text: string }>(
    `SELECT file AS name, text FROM ledger.model_set_files JOIN ledger.model_texts USING (sha256) WHERE set_id = $set ORDER BY file`,
    { set },
  );
  const shared = files.filter(isShared);
  const own = files.filter(isOwn).map((file) => ({ ...file, path: file.name.slice(OWN.length) }));
  const models = files.filter((file) => !isShared(file) && !isOwn(file));
  if (shared.length > 0) return assembleModels(models, shared, own);
  return assembleModels(models, readShared(), modelsDir === undefined ? [] : readOwnFiles(modelsDir).own);
}

/** Adds a set of models to the history. Adds nothing if the last set has the same files. */
export async function saveSet(
  db: Database,
  set: ModelSet,
  { origin, ofSet = null, now }: { origin: SetOrigin; ofSet?: number | null; now: Date },
): Promise<void> {
  const texts = new Map(
    [...set.models.map(({ file, text }) => ({ name: file, text })), ...set.shared, ...set.own].map(({ name, text }) => [
      name,
      text,
    ]),
  );
  const files = new Map(
    [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, text]) => [name, sha256(text)]),
  );
  const [last] = await readSets(db, { last: true });
  const isHeld = last?.origin === 'rollback';
  // After a rollback, runs build the restored set, but perhaps with the macros on disk. Do not store this as a new set.
  if (isHeld && (origin === 'run' || origin === 'replay')) return;
  if (last !== undefined && sameFiles(last.files, files) && origin !== 'rollback' && !isHeld) return;
  const number = (last?.set ?? 0) + 1;
  await db.run('INSERT INTO base.model_sets VALUES ($number, $origin, $ofSet, CAST($at AS TIMESTAMPTZ))', {
    number,
    origin,
    ofSet,
    at: now.toISOString(),
  });
  await db.run(
    `INSERT INTO ledger.model_texts
     SELECT DISTINCT sha256(text), text FROM (SELECT unnest(CAST($texts AS JSON[])) ->> '$' AS text)
     ON CONFLICT DO NOTHING`,
    { texts: JSON.stringify([...texts.values()]) },
  );
  await db.run(
    `INSERT INTO ledger.model_set_files
     SELECT $number, file.name, file.sha256 FROM (SELECT unnest(from_json(CAST($files AS JSON), '[{"name": "VARCHAR", "sha256": "VARCHAR"}]')) AS file)`,
    { number, files: JSON.stringify([...files].map(([name, hash]) => ({ name, sha256: hash }))) },
  );
}

/**
 * Finds the set of models to which a rollback returns: the last earlier set whose files differ from those of the last
 * set. If the last set is itself a rollback, searches before the set that it restored.
 */
export function previousSet(sets: readonly AppliedSet[]): AppliedSet | undefined {
  const last = sets.at(-1);
  if (last === undefined) return undefined;
  const position = last.ofSet ?? last.set;
  const found = sets.findLast(({ set, files }) => set < position && differ(files, last.files));
  return found?.ofSet === undefined || found.ofSet === null ? found : sets.find(({ set }) => set === found.ofSet);
}

/** Returns whether the files of two sets differ. Ignores macros and seeds if one of the sets has none. */
function differ(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  const hasShared = [left, right].every((files) => [...files.keys()].some((name) => isShared({ name })));
  const compared = (files: ReadonlyMap<string, string>) =>
    new Map([...files].filter(([name]) => hasShared || !isShared({ name })));
  return !sameFiles(compared(left), compared(right));
}

function isShared({ name }: Pick<SqlFile, 'name'>): boolean {
  return name.startsWith('macros/') || name.startsWith('seeds/');
}

function isOwn({ name }: Pick<SqlFile, 'name'>): boolean {
  return name.startsWith(OWN);
}

function sameFiles(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([name, hash]) => right.get(name) === hash);
}
