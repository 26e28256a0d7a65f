import { readFileSync } from 'node:fs';
import { IsoDate } from '../../../schemas/pipeline/run.js';
import { demoMark } from '../../store/data-folder.js';
import { writeFileAtomic } from '../../store/files.js';
import { DAY_MS } from '../../base/time/time.js';

// The same seed gives the same market, so a second demo finds the companies that the first demo fetched.
const SEED = 7;

/**
 * Command-line flags of the demo's sandbox. The sandbox's market starts on the day of the first demo with this data
 * folder. On a later day some companies are therefore new, some have left and some have changed.
 */
export async function sandboxArguments(
  dataDir: string,
  size: { companies: number; tenders: number },
  today: string,
): Promise<string[]> {
  const first = await firstDay(dataDir, today);
  const day = Math.max(0, Math.round((Date.parse(today) - Date.parse(first)) / DAY_MS));
  const flags = { companies: size.companies, tenders: size.tenders, seed: SEED, date: first, day };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

async function firstDay(dataDir: string, today: string): Promise<string> {
  const file = demoMark(dataDir);
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (IsoDate.safeParse(known).success && known <= today) return known;
  } catch {
    // The file is missing: this is the first demo with this data folder.
  }
  await writeFileAtomic(file, `${today}\n`);
  return today;
}
