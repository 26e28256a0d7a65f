import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DuePlan, PlanDueInput } from '../../schemas/pipeline/crawl.js';
import { writeFileAtomic } from '../core/files.js';
import { LandingCorruptError } from './errors.js';
import { loadLanding } from './load.js';
import type { Warehouse } from './open.js';
import { chunkFile, dueDir } from './paths.js';
import { readSqlFile } from './sql-files.js';

export interface DueRequest {
  run: string;
  market: string | null;
  stream: PlanDueInput['stream'];
  /** Answers older than this are due again; 0: every run. */
  refreshSeconds: number;
  now: Date;
  /** Entities in a chunk file, at most. */
  chunkSize: number;
  /**
   * Companies to choose from (streams companies and financials). sighted: by this run's own searches. members: the
   * market's latest membership, or without a market all that were ever seen; for work addressed by date.
   */
  known?: 'sighted' | 'members';
}

export type DueCounts = Pick<DuePlan, 'known' | 'due' | 'chunks'>;

/**
 * Loads what has landed, then writes which entities are due as `data/runs/<run>/due/<stream>/chunk-00000.json` and so on
 * (a JSON array of ids each, in ascending order). Asked again for the same run and stream it gives the same plan and
 * leaves the files alone: chunks of it may have landed by then, and a chunk must not change what it means.
 */
export async function planDue(warehouse: Warehouse, dataDir: string, request: DueRequest): Promise<DueCounts> {
  const folder = dueDir(dataDir, request.run, request.stream);
  const planFile = path.join(folder, 'plan.json');
  if (existsSync(planFile)) return JSON.parse(readFileSync(planFile, 'utf8')) as DueCounts;
  await loadSoundParts(warehouse, dataDir);
  const entities = await findDue(warehouse, request);
  const due = entities.filter((entity) => entity.due).map((entity) => entity.entity_id);
  const chunks = Math.ceil(due.length / request.chunkSize);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const ids = due.slice(chunk * request.chunkSize, (chunk + 1) * request.chunkSize);
    await writeFileAtomic(chunkFile(folder, chunk), `${JSON.stringify(ids)}\n`);
  }
  const counts: DueCounts = { known: entities.length, due: due.length, chunks };
  // Last, so that it vouches for the chunks.
  await writeFileAtomic(planFile, `${JSON.stringify(counts)}\n`);
  return counts;
}

/** A corrupt part is reported where the run loads to publish; to plan, what can be read is enough. */
async function loadSoundParts(warehouse: Warehouse, dataDir: string): Promise<void> {
  try {
    await loadLanding(warehouse, dataDir);
  } catch (error) {
    if (!(error instanceof LandingCorruptError)) throw error;
  }
}

async function findDue({ db }: Warehouse, request: DueRequest): Promise<{ entity_id: string; due: boolean }[]> {
  await db.run(
    `CREATE OR REPLACE TEMP TABLE plan AS SELECT
      CAST($run AS VARCHAR) AS run, CAST($market AS VARCHAR) AS market, CAST($known AS VARCHAR) AS known,
      CAST($refreshSeconds AS DOUBLE) AS refresh_seconds, CAST($now AS TIMESTAMPTZ) AS now`,
    {
      run: request.run,
      market: request.market,
      known: request.known ?? 'sighted',
      refreshSeconds: request.refreshSeconds,
      now: request.now.toISOString(),
    },
  );
  if (request.stream === 'companies' || request.stream === 'financials')
    await db.runFile(readSqlFile('due/_companies.sql'));
  return db.rows(readSqlFile(`due/${request.stream}.sql`).text);
}
