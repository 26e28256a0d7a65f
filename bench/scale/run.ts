import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../../schemas/format.js';
import { compiled, startProcess, startSandbox } from '../../test/helpers/processes.js';
import { makeProject } from '../../test/helpers/project.js';
import { MARKET } from '../market.js';
import { report } from '../report/report.js';
import { startTemporalServer } from '../temporal-server.js';
import { measureRun, type MeasuredRun } from './measure.js';
import { scaleTables } from './tables.js';

const SIZES = (process.env['SCALE_COMPANIES'] ?? '20000,200000,1000000').split(',').map(Number);
const IN_FLIGHT = 32;
// A fifth of the sandbox's companies: the United Kingdom and Ireland.
const COUNTRIES = [1471, 1213];

/** Both runs of one size: first a search of all companies, then a market whose records are fetched. */
export interface Size {
  companies: number;
  search: MeasuredRun;
  fetch: MeasuredRun;
}

/**
 * Searches markets of several sizes, and fetches the records and reports of a fifth of their companies. Fits a cost model
 * to the results, and predicts larger markets. `SCALE_COMPANIES` sets the sizes, separated by commas.
 */
export async function benchScale(): Promise<void> {
  const sizes: Size[] = [];
  for (const companies of SIZES) {
    const size = await measureSize(companies);
    sizes.push(size);
    for (const [name, { cost, searched, peakMiB, crawlMiB }] of Object.entries({
      search: size.search,
      fetch: size.fetch,
    }))
      process.stdout.write(
        `  ${formatCount(companies)} companies, ${name} ${formatCount(searched)}: ${JSON.stringify(cost)} peak MiB ${JSON.stringify(peakMiB)} ${JSON.stringify(crawlMiB)}\n`,
      );
  }
  report({
    bench: 'scale',
    settings: { SCALE_COMPANIES: SIZES.join(',') },
    rounds: 1,
    tables: scaleTables(sizes),
  });
}

async function measureSize(companies: number): Promise<Size> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-scale-'));
  const sandbox = await startSandbox({ ...MARKET, companies });
  const temporal = await startTemporalServer(folder);
  const project = makeProject({
    api: sandbox,
    temporal: temporal.address,
    config: {
      api: { baseUrl: sandbox.url, maxConcurrency: IN_FLIGHT },
      data: path.join(folder, 'data'),
      markets: [
        // Without tickers, this stream has no records: the run only searches.
        { name: 'all', streams: ['financials_ticker'] },
        {
          name: 'part',
          filters: { location_countries: { include: COUNTRIES } },
          streams: ['companies', 'financials'],
        },
      ],
    },
  });
  const worker = await startProcess(compiled(['bin/tidemark.mjs', 'worker']), {
    env: { ...project.env, LOG_LEVEL: 'warn' },
    ready: /worker.*(ready|running)/i,
  });
  try {
    const system = {
      sandbox,
      temporal,
      worker: worker.child.pid!,
      project: {
        ...project,
        dataDir: path.join(folder, 'data'),
        published: path.join(folder, 'data', 'published', 'market.duckdb'),
      },
    };
    const search = await measureRun(system, 'all');
    return { companies, search, fetch: await measureRun(system, 'part') };
  } finally {
    await worker.stop();
    await temporal.stop();
    await sandbox.stop();
    project.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
