import { z } from 'zod';
import { Alert } from '../../schemas/pipeline/alert.js';
import { LandingStream } from '../../schemas/streams/landing-streams.js';
import { IsoDate, WorkflowType } from '../../schemas/pipeline/run.js';
import { parseInput } from '../../src/base/parse-input.js';
import type { Activities } from '../contract.js';
import { RUN_ID } from '../../schemas/pipeline/limits.js';

// Run ids, file names and counts become part of a path. Anyone who reaches the Temporal server can start an activity
// with any input. Reject text that leads out of the data folder.
const RunId = z.string().regex(RUN_ID, 'may hold only letters, digits, dots, dashes and underscores');
const FileName = z
  .string()
  .regex(/^[\w-][\w.-]{0,120}\.(csv|json)$/, 'must be the name of a list in resolve/ or payees/ of the data folder');
const Count = z.int().min(0).max(1_000_000);

const Context = z.looseObject({ run: RunId, date: IsoDate, file: FileName.optional() });
const WithContext = z.looseObject({ ctx: Context });

const INPUTS: Record<keyof Activities, z.ZodType> = {
  openRun: z.looseObject({ run: RunId, workflowType: WorkflowType }),
  discoverMarket: WithContext.extend({ round: Count }),
  crawlListing: WithContext.extend({
    listing: z.enum(['tenders', 'watched_companies', 'nomenclatures', 'contact_metrics']),
  }),
  crawlChunk: WithContext.extend({ stream: LandingStream, chunk: Count }),
  pollOwnerJobs: WithContext.extend({ round: Count }),
  readQuota: Context,
  enterQuotaGate: z.looseObject({ waiter: WithContext }),
  listStateAttributes: z.unknown(),
  closeRun: WithContext,
  chooseTargets: z.looseObject({ alert: Alert }),
  sendAlert: z.looseObject({ alert: Alert, target: z.string() }),
  findLateNights: z.unknown(),
  planDue: WithContext.extend({
    stream: LandingStream,
    ahead: z.array(LandingStream).optional(),
    wholeMarket: z.boolean().optional(),
  }),
  loadEarly: Context,
  loadLanding: Context,
  buildModels: Context,
  publishWarehouse: Context,
  // The activity validates this input itself.
  rebuildWarehouse: z.unknown(),
};

/**
 * Rejects an activity's input if a run id, date, file name or count in it could lead a path out of its folder.
 * @throws TidemarkError `InvalidInput`, naming the wrong field
 */
export function checkInput(activity: keyof Activities, input: unknown): void {
  parseInput(
    INPUTS[activity],
    input,
    'only the input that a Tidemark workflow gives this activity. Start the workflow instead, for example with the command `tidemark`',
  );
}
