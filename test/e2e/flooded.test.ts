import { afterEach, expect, it } from 'vitest';
import { measureFlood, startExplorerVictim, startReceiverVictim, type Victim } from '../helpers/flood.js';

let victim: Victim | undefined;
afterEach(async () => victim?.stop());

const VICTIMS = { explorer: startExplorerVictim, 'webhook receiver': startReceiverVictim };

it.each(Object.keys(VICTIMS) as (keyof typeof VICTIMS)[])('leaves most of a core to the crawl: %s', async (name) => {
  victim = await VICTIMS[name]();
  const { share, before, during, flood } = await measureFlood(victim, 10);
  process.stdout.write(
    `flooded ${name}: share ${share.toFixed(3)}, rate ${(during / before).toFixed(3)}, ${flood.toFixed(0)} requests/s\n`,
  );
  expect(flood).toBeGreaterThan(0);
  expect(share).toBeGreaterThan(0.8);
});
