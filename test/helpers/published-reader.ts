// Reads a published warehouse in a loop, as analysts do, until it is stopped. Then prints its reads and errors as one
// line of JSON.
// Usage: node --import tsx published-reader.ts DATA_FOLDER
import { openPublished } from '../../src/warehouse/builds/published.js';

const dataDir = process.argv[2] ?? '';
const QUERY = 'SELECT count(*)::INTEGER AS nights, sum(companies)::INTEGER AS companies FROM marts.market_daily';
const errors = new Set<string>();
let reads = 0;
const end = new AbortController();
process.on('SIGTERM', () => end.abort());

// One reader stays open over all publications; another opens the file for each read.
const held = await openPublished(dataDir);
const first = JSON.stringify(await held.objects(QUERY));
console.log('reading');
while (!end.signal.aborted) {
  try {
    const published = await openPublished(dataDir);
    const rows = await published.objects<{ nights: number }>(QUERY);
    if (rows[0]?.nights !== 2) errors.add(`a reader saw ${JSON.stringify(rows)}`);
    published.close();
    const again = JSON.stringify(await held.objects(QUERY));
    if (again !== first) errors.add(`an open reader saw ${again} after ${first}`);
    reads++;
  } catch (error) {
    errors.add(String(error));
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
}
held.close();
console.log(JSON.stringify({ reads, errors: [...errors] }));
