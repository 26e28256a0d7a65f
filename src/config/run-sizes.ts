import { TidemarkError } from '../base/errors.js';
import { formatCount } from '../../schemas/format.js';

/** Sizes that the environment may set. A workflow uses its default for a missing size. */
export interface RunSizes {
  /** Number of history events after which a workflow continues as new. */
  eventsPerRun?: number;
  /** Number of entities per chunk. */
  chunkSize?: number;
}

// A workflow needs about ten events before its first checkpoint. With a lower limit, it would continue as new again and
// again without progress.
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
  const range = `${least} to ${formatCount(most)}`;
  throw new TidemarkError('InvalidConfig', `${name} is not a whole number from ${range}: ${text}`, {
    todo: 'Correct the value, or unset the variable to use the default.',
  });
}
