import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { version as duckdbVersion } from '@duckdb/node-api';
import { z } from 'zod';
import { partitionPlanFile } from '../core/data-folder.js';
import { TidemarkError } from '../core/errors.js';
import { makeFolder, writeFileOnce } from '../core/files.js';
import { version } from '../core/version.js';
import { declaredFields } from '../drift/declared.js';
import { readShared, readSqlFolder } from '../duckdb/sql-files.js';
import { pullManifests, type LandedPart } from '../landing/index.js';
import { listParts } from '../load/part-check.js';
import { sha256 } from '../models/models.js';
import { workingCopyOf } from '../working-copy/open.js';
import { DIVIDED_STREAMS } from './divide.js';

/** Names a rebuild, and says whether the names and contact data of people are kept. */
export interface Rebuild {
  id: string;
  personalData: boolean;
}

/** Plan of a rebuild with partitions. All partitions read the same parts. */
export const Plan = z.object({
  of: z.int(),
  /** Hash of everything but the landed parts that decides the rows of a partition. */
  software: z.string(),
  /** Parts to load, as `nameOf` writes them. */
  parts: z.array(z.string()),
});
export type Plan = z.infer<typeof Plan>;

/** Identifies a part and its content. */
export function nameOf({ stream, date, run, part, sha256: hash }: Omit<LandedPart, 'file'> | LandedPart): string {
  return `${stream}/${date}/${run}/${part}/${hash}`;
}

/**
 * Plans a rebuild: lists the parts that the partitions read. If the rebuild has a plan already, keeps it.
 * @param isWanted whether the rebuild reads a part
 */
export async function planPartitions(
  dataDir: string,
  rebuild: Rebuild,
  { of, isWanted }: { of: number; isWanted: (part: LandedPart) => boolean },
): Promise<void> {
  await pullManifests(dataDir);
  const parts = listParts(dataDir).parts.filter((part) => DIVIDED_STREAMS.has(part.stream) && isWanted(part));
  const plan: Plan = { of, software: softwareOf(rebuild), parts: parts.map(nameOf) };
  const file = partitionPlanFile(dataDir, rebuild.id);
  await makeFolder(path.dirname(file));
  const text = `${JSON.stringify(plan)}\n`;
  const copy = workingCopyOf(dataDir);
  if (copy === undefined) await writeFileOnce(file, text);
  else await copy.claimText(file, Buffer.from(text));
}

/**
 * Reads the plan of a rebuild.
 * @throws TidemarkError, retryable, when there is none here, or when this worker would build other rows than the plan
 */
export async function readPlan(dataDir: string, rebuild: Rebuild): Promise<Plan> {
  const file = partitionPlanFile(dataDir, rebuild.id);
  await workingCopyOf(dataDir)?.take(file);
  if (!existsSync(file)) {
    throw new TidemarkError('OtherDataFolder', `${dataDir} has no plan of the rebuild ${rebuild.id}.`, {
      todo: 'Give all workers the same data folder or bucket. If the plan was removed, start the rebuild again.',
      retryable: true,
    });
  }
  const plan = Plan.parse(JSON.parse(readFileSync(file, 'utf8')));
  if (plan.software === softwareOf(rebuild)) return plan;
  throw new TidemarkError('InvalidConfig', 'This worker would build other rows than the worker that planned.', {
    todo: 'Install the same version of Tidemark on all machines, and give them the same `personalData`.',
    retryable: true,
  });
}

/** Models have fingerprints of their own, which `combinePartitions` compares. */
function softwareOf({ personalData }: Rebuild): string {
  const texts = [...readSqlFolder('migrations'), ...readSqlFolder('staging'), ...readShared()].map(({ text }) => text);
  return sha256(JSON.stringify([version(), duckdbVersion(), personalData, declaredFields(), texts]));
}
