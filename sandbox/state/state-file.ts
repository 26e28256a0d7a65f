import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** Content of the state file: the market, the day, the used quota and the watches. */
export const SavedState = z.object({
  version: z.literal(1),
  companies: z.int(),
  tenders: z.int(),
  seed: z.int(),
  date: z.string(),
  clones: z.int().default(0),
  key: z.string(),
  day: z.int(),
  quota: z.object({ usedToday: z.int(), dailyLimit: z.int(), used: z.record(z.string(), z.int()) }),
  watching: z.object({
    watches: z.array(z.object({ id: z.int(), fields: z.array(z.string()), since: z.string() })),
    callback: z.string().nullable(),
    secret: z.string().nullable(),
  }),
});
export type SavedState = z.infer<typeof SavedState>;

/**
 * Reads a state file. Returns null when the file does not exist yet.
 *
 * @throws Error with a remedy when the file cannot be used
 */
export function readState(file: string): SavedState | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`The state file ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return SavedState.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `${file} is not a state file of this sandbox. Name another file with --file, or delete this file to start again.`,
      {
        cause: error,
      },
    );
  }
}

/** Writes a state file atomically: a reader sees either the old content or the new content. */
export function writeState(file: string, state: SavedState): void {
  const temporary = `${file}.${process.pid}.tmp`;
  // Only the owner may read the file, because it contains the API key and the signing secret.
  writeFileSync(temporary, `${JSON.stringify(state, null, 1)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

/** Returns the flags that contradict a state file. The market in the file cannot change. */
export function contradictions(
  state: SavedState,
  given: Partial<Pick<SavedState, 'companies' | 'tenders' | 'seed' | 'date' | 'clones' | 'key'>>,
): string[] {
  const keys = ['companies', 'tenders', 'seed', 'date', 'clones', 'key'] as const;
  return keys.filter((key) => given[key] !== undefined && given[key] !== state[key]).map((key) => `--${key}`);
}
