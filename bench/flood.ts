import { measureFlood, startExplorerVictim, startReceiverVictim, type Flooded } from '../test/helpers/flood.js';
import { report } from './report/report.js';
import { measured } from './report/result.js';

const ROUNDS = Number(process.env['FLOOD_ROUNDS'] ?? 3);
const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 10);
const VICTIMS = { 'the explorer': startExplorerVictim, 'the webhook receiver': startReceiverVictim };

/**
 * Measures what a crawl gets beside a flooded explorer or webhook receiver, in the worst case: all on one core, and the
 * crawl needs the whole core. Needs Linux and `taskset`. Environment variables: `FLOOD_ROUNDS`, `FLOOD_SECONDS`.
 */
export async function benchFlood(): Promise<void> {
  const rows = [];
  for (const [name, start] of Object.entries(VICTIMS)) {
    const found: Flooded[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await start();
      try {
        found.push(await measureFlood(victim, SECONDS));
      } finally {
        await victim.stop();
      }
    }
    const cell = (of: (one: Flooded) => number, unit: 'ratio' | 'per second') => measured(found.map(of), unit);
    rows.push({
      name,
      cells: [
        cell(({ flood }) => flood, 'per second'),
        cell(({ before, during }) => during / before, 'ratio'),
        cell(({ share }) => share, 'ratio'),
      ],
    });
  }
  report({
    bench: 'flood',
    settings: { FLOOD_ROUNDS: ROUNDS, FLOOD_SECONDS: SECONDS },
    rounds: ROUNDS,
    tables: [
      {
        name: 'flood',
        columns: [
          'flooded',
          'requests of the flood',
          'crawl rate, of that without a flood',
          'share of the crawl in the CPU',
        ],
        rows,
      },
    ],
  });
}
