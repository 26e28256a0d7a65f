import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RenderedReport, ReportInput } from '../../../../schemas/explorer/report.js';
import { findUi } from '../../../../bootstrap/ui.mjs';
import { collectReport } from '../../../../src/serve/report/collect.js';
import { reportPage } from '../../../../src/serve/report/page.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { openPublished } from '../../../../src/warehouse/builds/published.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { findChromium } from '../../../helpers/chromium.js';
import { land, marketNight } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const EVIL = `"><script>document.title='struck'</script><img src=x onerror="document.title='struck'"><style>*{display:none}</style>'`;
const NOW = new Date('2026-11-21T04:00:00.000Z');

/** Content of the report about two nights of a market whose API returns markup in every value. */
async function hostileInput(dataDir: string): Promise<ReportInput> {
  const place = { run: 'r2', date: '2026-11-21', market: 'm' } as const;
  await land(dataDir, [
    ...marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2, 3] }),
    ...marketNight({ run: 'r2', date: '2026-11-21', ids: [2, 3, 4, 5], missing: 2, heldBack: EVIL }),
    ...marketNight({ run: 'r3', date: '2026-11-21', ids: [2, 3, 4, 5], missing: 2 }).map((answer) =>
      answer.stream === 'coverage'
        ? {
            ...answer,
            body: {
              ...(answer.body as object),
              why: [{ segment: EVIL, filters: { nace: [EVIL] }, missing: 2, reason: EVIL, class: EVIL }],
              certificate: { proven: { found: 4, missing: 0 }, unsplittable: { found: 0, missing: 2 } },
            },
          }
        : answer,
    ),
    { ...place, stream: 'companies', entity: '2', body: { id: 2, name: { [EVIL]: 1 }, [EVIL]: EVIL } },
    { ...place, stream: 'companies', entity: '3', status: 500, body: EVIL },
    { ...place, stream: 'financials', entity: '2', body: { '2021': { [EVIL]: { a: EVIL }, Turnover: EVIL } } },
    {
      ...place,
      stream: 'requests',
      entity: 'e',
      body: { endpoint: `GET ${EVIL}`, requests: 3, errors: 1, retries: 1, bytes: 5, p50_ms: 1, p99_ms: 2 },
    },
    {
      ...place,
      stream: 'quota',
      entity: 'q1',
      body: { metric: EVIL, used: 5, total: 10, read_at: '2026-11-21T02:00:00Z' },
    },
    {
      ...place,
      stream: 'quota',
      entity: 'q2',
      body: { metric: EVIL, used: 9, total: 10, read_at: '2026-11-21T03:00:00Z' },
    },
    {
      ...place,
      run: 'r3',
      stream: 'segments',
      entity: 'root',
      body: {
        segment: 'root',
        parent: null,
        filters: { nace: EVIL },
        total_reported: 6,
        rows_fetched: 4,
        distinct_companies: 4,
        pages: 1,
        depth: 0,
        state: 'leaf',
        split_by: null,
      },
    },
    {
      ...place,
      stream: 'forecasts',
      entity: 'f',
      body: { stream: EVIL, requests: 10, endpoints: ['GET /a'], basis: EVIL },
    },
  ]);
  const warehouse = await openWarehouse(new Data(dataDir));
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse);
  await publish(warehouse, dataDir, { run: 'r3', now: NOW });
  await warehouse.close();
  const published = await openPublished(dataDir);
  try {
    return await collectReport(published, { version: '0.1.0', now: NOW });
  } finally {
    published.close();
  }
}

describe('a report with markup in every value', () => {
  let input: ReportInput;
  let page: string;
  let render: (input: ReportInput) => string;
  let browser: Browser | undefined;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidemark-report-'));
    input = await hostileInput(folder);
    const program = pathToFileURL(path.join(await findUi(), 'report.mjs')).href;
    const { renderReport } = (await import(program)) as { renderReport: (input: ReportInput) => RenderedReport };
    render = (some) => reportPage(renderReport(some), '0.1.0');
    page = render(input);
    const executablePath = findChromium();
    if (executablePath !== undefined) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('collects facts for every section of the report', () => {
    const { facts } = input;
    for (const [name, value] of Object.entries(facts)) {
      if (Array.isArray(value) && name !== 'checks') expect(value, name).not.toEqual([]);
    }
    expect(facts.file).toMatchObject({ run: 'r3', landed_rows: expect.any(Number) });
    expect(facts.nights.map(({ date, companies, entered, left }) => [date, companies, entered, left])).toEqual([
      ['2026-11-20', 3, null, null],
      ['2026-11-21', 4, 2, null],
    ]);
    expect(facts.coverage).toMatchObject([
      {
        missing: 2,
        classes: [
          { class: 'proven', found: 4 },
          { class: 'unsplittable', missing: 2 },
        ],
      },
    ]);
    expect(facts.gaps).toMatchObject([{ missing: 2, reason: EVIL, of: 1 }]);
    expect(facts.drift.map(({ kind }) => kind)).toContain('changed type');
    expect(facts.tables.find(({ table }) => table === 'core.companies')).toMatchObject({
      rows: 5,
      description: expect.stringContaining('company'),
      columns: expect.arrayContaining([
        { name: 'company_id', type: 'BIGINT', comment: expect.any(String), from: 'base.company_seen.company_id' },
      ]),
    });
    expect(facts.tables.flatMap(({ columns }) => columns).filter(({ comment }) => !comment)).toEqual([]);
  });

  it('writes a report without scripts', () => {
    expect(page).not.toContain('<script');
  });

  it.for([
    ['as it is', (text: string) => text] as const,
    ['without its content security policy', (text: string) => text.replace(/<meta http-equiv[^>]*>/, '')] as const,
  ])('shows markup as text and requests nothing, %s', async ([, change], { skip }) => {
    if (browser === undefined) return skip('no Chromium here: set CHROMIUM_PATH, or install chromium');
    const file = path.join(folder, 'report.html');
    writeFileSync(file, change(page));
    const context = await browser.newContext();
    const tab = await context.newPage();
    const asked: string[] = [];
    const said: string[] = [];
    tab.on('request', (request) => asked.push(request.url()));
    tab.on('console', (message) => said.push(message.text()));
    await tab.goto(`file://${file}`);
    expect(asked).toEqual([`file://${file}`]);
    expect(said).toEqual([]);
    expect(await tab.title()).toBe('Tidemark report, 2026-11-21');
    expect(await tab.locator('script, img, iframe, object, link, form, [onerror], [style]').count()).toBe(0);
    expect(await tab.locator('style').count()).toBe(1);
    expect(await tab.locator('#coverage').innerText()).toContain(EVIL);
    expect(await tab.locator('#coverage svg').textContent()).toContain('<script>');
    expect(await tab.locator('#requests td code', { hasText: EVIL }).count()).toBeGreaterThan(0);
    // Its style sheet applies, with its hash in the policy or without a policy.
    expect(await tab.evaluate(`getComputedStyle(document.querySelector('main')).maxWidth`)).toBe('1280px');
    expect(await tab.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await tab.setViewportSize({ width: 390, height: 800 });
    expect(await tab.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await context.close();
  });

  it('shows the charts of the explorer, in the colours of the page', () => {
    const charts = page.match(/<svg .*?<\/svg>/gs) ?? [];
    expect(charts.length).toBeGreaterThanOrEqual(3);
    for (const chart of charts) expect(chart).toContain('var(--');
    expect(page).not.toContain('#00f0');
  });

  it('puts what needs attention into the headline', () => {
    const { facts } = input;
    expect(page).toMatch(/<h1>[^<]*2 companies of m are missing/);
    const of = (outcome: string): string => {
      const [run] = facts.runs.map((one) => ({ ...one, workflow_id: 'w', outcome, held_back: null }));
      const some = { ...facts, checks: [], coverage: [], runs: run === undefined ? [] : [run] };
      return render({ ...input, facts: some });
    };
    expect(of('complete')).toContain('<h1>Nothing needs attention');
    expect(of('partial')).toContain('<h1>w is partial');
    expect(of('stopped')).toContain('<h1>w was stopped');
    expect(of('failed')).toContain('<h1>w failed');
  });

  it('renders a file without any night', () => {
    const lists = <T extends object>(some: T): T =>
      Object.fromEntries(Object.entries(some).map(([name, value]) => [name, Array.isArray(value) ? [] : value])) as T;
    const none = render({
      facts: { ...lists(input.facts), file: null },
      markets: lists(input.markets),
      operations: { ...lists(input.operations), receipt: null },
    });
    expect(none).toContain('No run is recorded yet');
    expect(none).toContain('No night of a market is published yet.');
  });
});
