import { TidemarkError } from './errors.js';

/** Sizes of a run's executions and chunks. For a size that is unset, the workflows use their default. */
export interface RunSizes {
  /** History events after which a run continues as new. */
  eventsPerRun?: number;
  /** Entities per chunk. */
  chunkSize?: number;
}

// An execution needs about ten events before its first checkpoint. With a lower limit, it would continue as new
// forever.
const FEWEST_EVENTS = 20;

/**
 * Reads the sizes from `TIDEMARK_EVENTS_PER_RUN` (20 to 10,000) and `TIDEMARK_CHUNK_SIZE` (1 to 1,000).
 * @throws TidemarkError `InvalidConfig` when a size is out of range
 */
export function readRunSizes(env: NodeJS.ProcessEnv = process.env): RunSizes {
  const eventsPerRun = readCount(env, 'TIDEMARK_EVENTS_PER_RUN', FEWEST_EVENTS, 10_000);
  const chunkSize = readCount(env, 'TIDEMARK_CHUNK_SIZE', 1, 1_000);
  return { ...(eventsPerRun === null ? {} : { eventsPerRun }), ...(chunkSize === null ? {} : { chunkSize }) };
}

function readCount(env: NodeJS.ProcessEnv, name: string, least: number, most: number): number | null {
  const text = env[name]?.trim();
  if (!text) return null;
  const count = Number(text);
  if (/^\d+$/.test(text) && least <= count && count <= most) return count;
  const range = `${least} to ${most.toLocaleString('en-US')}`;
  throw new TidemarkError('InvalidConfig', `${name} is not a whole number from ${range}: ${text}`, {
    todo: 'Correct the value, or unset the variable to use the default.',
  });
}
