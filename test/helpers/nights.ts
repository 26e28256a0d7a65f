import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { landAnswers, type Answer } from '../../src/warehouse/models/cases/land-answers.js';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { marketNight, publishAndReopen } from './warehouse.js';
import { Data } from '../../src/store/data.js';

const IDS = Array.from({ length: 200 }, (_, i) => i + 1);
const FIRST = Date.parse('2026-11-20T04:00:00Z');
const DAY_MS = 86_400_000;

// The reports that each night reads, after the first night: company, years and turnover. Rows change several times, leave
// and come back.
const NIGHTS: readonly [company: number, years: number[], turnover: number][][] = [
  [
    [1, [2023, 2024], 10.5],
    [2, [2024], 200],
    [900, [2024], 7],
  ],
  [
    [1, [2023, 2024], 11.5],
    [2, [2023, 2024], 200],
    [3, [2024], 300],
  ],
  [
    [1, [2024], 12.5],
    [900, [], 0],
  ],
];

/** Publishes four nights. */
export async function publishNights(dataDir: string): Promise<void> {
  const first = [
    ...marketNight({ run: 'r0', date: '2026-11-20', ids: IDS }),
    ...IDS.map((id) => report(id, [2022, 2023, 2024], id * 100, 0)),
  ];
  const later = NIGHTS.map((reports, index) =>
    reports.map(([company, years, turnover]) => report(company, years, turnover, index + 1)),
  );
  let warehouse = await openWarehouse(new Data(dataDir));
  try {
    for (const [night, answers] of [first, ...later].entries()) {
      await landAnswers(dataDir, answers);
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse);
      const now = new Date(FIRST + night * DAY_MS);
      warehouse = await publishAndReopen(warehouse, dataDir, { run: `r${night}`, now, graceSeconds: 0 });
    }
  } finally {
    await warehouse.close();
  }
}

function report(company: number, years: number[], turnover: number, night: number): Answer {
  const values = { Turnover: turnover, Currency: 'EUR', EBITDA: company, 'Reported-Date': '2024-12-31' };
  return {
    stream: 'financials',
    entity: String(company),
    at: new Date(FIRST + night * DAY_MS - 3_600_000).toISOString(),
    body: Object.fromEntries(years.map((year) => [year, values])),
  };
}
