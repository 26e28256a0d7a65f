import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findUi } from '../../../../bootstrap/ui.mjs';
import { findChromium } from '../../../helpers/chromium.js';
import {
  publishAnswers,
  publishTwoNights,
  startTestExplorer,
  twoNights,
  type TestExplorer,
} from '../../../helpers/explorer.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
/** A name that would run as script, as style or as an attribute, and has no place to break a line. */
const evil = (id: number): string =>
  `${id}"><script>document.title='struck'</script><img src=x onerror="document.title='struck'"><style>*{display:none}</style>'{{7*7}}${'w'.repeat(120)}`;

/** The views, with a text that each shows when it is complete. */
const VIEWS: [name: string, at: string, shows: string][] = [
  ['start', '/', 'Which company?'],
  ['company', '/company/1', 'Register number'],
  ['figures', '/company/1?tab=figures', 'Restatements'],
  ['history', '/company/2?tab=history', 'status'],
  ['versions', '/company/2?tab=versions', 'Versions side by side'],
  ['owners', '/company/1?tab=owners', 'People'],
  ['markets', '/markets', 'Companies by group'],
  ['list', '/companies?moved=left', '1 companies'],
  ['tenders', '/tenders', '2 tenders'],
  ['no tenders', '/tenders?country=Atlantis&from=2026-12-01', 'No tenders match'],
  ['calendar', '/tenders?show=calendar&month=2026-12', '1 deadlines in this month'],
  ['tender', '/tender?slug=t-road', 'surfacing of a road'],
  ['dictionary', '/tables?q=deadline', 'marts.tender_pipeline'],
  ['table', '/tables/marts.companies?column=left_on', 'Comes from'],
  ['lineage', '/tables/marts.companies?tab=lineage', 'Made from'],
  ['column', '/tables/marts.companies?tab=lineage&column=name', 'Lineage of marts.companies.name'],
  ['versions of a model', '/tables/marts.companies?tab=versions', 'has not changed since'],
  ['model', '/tables/marts.companies?tab=model', 'Query of the model'],
  ['operations', '/operations', 'Latest night of each market'],
  ['coverage', '/operations?tab=coverage', 'Gaps'],
  ['runs', '/operations?tab=runs', 'snapshot/m/2026-11-21'],
  ['supply', '/operations?tab=supply', 'Freshness'],
  ['quality', '/operations?tab=quality', 'Schema drift'],
  ['models', '/operations?tab=models', 'Model changes'],
  ['sql', `/sql#q=${encodeURIComponent('SELECT company_id, name FROM core.companies')}`, '5 rows'],
];

const browserFile = findChromium();
let dataDir: string;
let explorer: TestExplorer;
let browser: Browser;

beforeAll(async () => {
  if (browserFile === undefined) return;
  dataDir = await publishTwoNights(evil);
  explorer = await startTestExplorer(dataDir, { assets: await findUi() });
  browser = await chromium.launch({ executablePath: browserFile, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await explorer?.stop();
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
});

/** Opens a signed-in tab. `said` collects messages of the console, which report each breach of the policy. */
async function open(options: { width: number; colorScheme?: 'light' | 'dark' }) {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: options.width, height: 900 },
    colorScheme: options.colorScheme ?? 'light',
  });
  const page: Page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const said: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  await page.goto(explorer.address);
  const show = async (at: string, shows: string): Promise<void> => {
    await page.goto(`${explorer.url}${at}`);
    await page.getByText(shows).first().waitFor();
    await page.waitForLoadState('networkidle');
  };
  return { context, page, said, asked, show };
}

describe.skipIf(browserFile === undefined)('the explorer in Chromium', () => {
  it.each([
    [390, 'dark'],
    [1280, 'light'],
    [2000, 'dark'],
  ] as const)(
    'shows every view without injection, horizontal scrolling or serious findings of axe, %i pixels wide, %s',
    async (width, colorScheme) => {
      const { context, page, said, asked, show } = await open({ width, colorScheme });
      const found: string[] = [];
      for (const [name, at, shows] of VIEWS) {
        await show(at, shows);
        expect(await page.title(), name).toMatch(/Tidemark$/);
        expect(await page.locator('html').getAttribute('data-theme')).toBe(colorScheme);
        expect(await page.locator('#app script, #app img, #app style, #app iframe, [onerror]').count(), name).toBe(0);
        expect(
          await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'),
          name,
        ).toBeLessThanOrEqual(0);
        found.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`));
      }
      expect(found).toEqual([]);
      expect(said).toEqual([]);
      expect([...new Set(asked)]).toEqual([explorer.url]);
      await context.close();
    },
  );

  it('finds and opens a company with the keyboard', async () => {
    const { context, page, show } = await open({ width: 1280 });
    await show('/sql', 'Run');
    await page.locator('body').click({ position: { x: 5, y: 500 } });
    await page.keyboard.press('/');
    await page.keyboard.type('556003');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').first().innerText()).toContain(evil(3));
    await page.keyboard.press('Enter');
    await page.getByText('Register number').waitFor();
    expect(new URL(page.url()).pathname).toBe('/company/3');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(evil(3));
    // The next Tab goes on in the page of the company.
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await show('/', 'Which company?');
    await page.getByRole('combobox', { name: 'Search companies' }).fill('556003');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Register number').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await context.close();
  });

  it('opens no address with another scheme', async () => {
    const { context, page, show } = await open({ width: 1280 });
    await show('/company/5', 'javascript:alert(1)');
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    await context.close();
  });

  it('completes tables and columns, runs a query and cancels one', async () => {
    const { context, page, said, show } = await open({ width: 1280 });
    await show('/sql', 'core.companies');
    const editor = page.getByRole('textbox', { name: 'SQL query' });
    const write = async (text: string): Promise<void> => {
      await editor.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText(text);
    };
    await write('SELECT name FROM ');
    await page.keyboard.type('core.compa', { delay: 30 });
    await page.getByRole('listbox').getByText('core.companies', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await write('SELECT 6 * 7 AS answer');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('cell', { name: '42' }).waitFor();
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe('#q=SELECT 6 * 7 AS answer');
    await write('SELECT count(*) FROM range(1000000) a, range(1000000) b');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The query was cancelled.').waitFor();
    // The database marks the position of an error below the query, so the letters have one width.
    await write('SELECT nam FROM core.companies');
    await page.keyboard.press('Control+Enter');
    const quoted = page.getByLabel('Position of the error');
    expect(await quoted.innerText()).toMatch(/^LINE 1: SELECT nam FROM.*\n +\^/);
    expect(await page.evaluate("getComputedStyle(document.querySelector('.failure pre')).fontFamily")).toMatch(/mono/i);
    // Typing over coloured words: the browser must not add a style, which the policy forbids.
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('SELECT 7 AS over');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('cell', { name: '7' }).waitFor();
    // The browser itself reports the answer 400.
    expect(said.filter((text) => !text.includes('400'))).toEqual([]);
    await context.close();
  });

  it('names an exported file by its contents and by the night', async () => {
    const { context, page, show } = await open({ width: 1280 });
    const exportAs = async (format: string): Promise<string> => {
      const file = page.waitForEvent('download');
      await page.getByRole('button', { name: format }).click();
      return (await file).suggestedFilename();
    };
    await show('/companies?country=SE&status=Active&employees_from=-5&foo=bar', '4 companies');
    expect(await exportAs('CSV')).toBe('companies-country-SE-status-Active-2026-11-21.csv');
    const filters = page.getByRole('list', { name: 'Filters' }).getByRole('listitem');
    expect(await filters.allInnerTexts()).toEqual([
      'Country: SE×',
      'Status: Active×',
      'Ignored: Employees from -5, not a whole number from 0×',
      'Ignored: foo bar, no such filter×',
    ]);
    await show(`/sql#q=${encodeURIComponent('FROM core.companies')}`, '5 rows');
    expect(await exportAs('Parquet')).toBe('core.companies-2026-11-21.parquet');
    await context.close();
  });

  it('shows the whole navigation, and the lineage as steps, on a phone', async () => {
    const { context, page, show } = await open({ width: 390 });
    await show('/tables/marts.companies?tab=lineage', 'Made from');
    const entries = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    expect(await entries.count()).toBe(6);
    for (const entry of await entries.all()) {
      const box = await entry.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    expect(await page.getByRole('group', { name: 'Lineage' }).isVisible()).toBe(false);
    const steps = page.getByRole('list', { name: 'Steps of the lineage of marts.companies' });
    await steps.getByRole('link', { name: 'core.companies', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'core.companies' }).waitFor();
    await context.close();
  });

  it('follows a lineage with the keyboard', async () => {
    const { context, page, show } = await open({ width: 1280 });
    await show('/tables/marts.tender_pipeline?tab=lineage', 'Made from');
    const node = page.getByRole('group', { name: 'Lineage' }).getByRole('link', { name: 'core.tenders' });
    await node.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'core.tenders' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=lineage');
    await context.close();
  });

  it('keeps the filters of the tenders in the address', async () => {
    const { context, page, show } = await open({ width: 1280 });
    await show('/tenders', '2 tenders');
    await page.getByLabel('Country').selectOption('Sweden');
    await page.getByText('1 tenders').waitFor();
    await page.getByLabel('Words of the title or text').fill('surfacing');
    await page.waitForURL('**/tenders?country=Sweden&q=surfacing');
    await page.getByRole('button', { name: 'Calendar' }).click();
    await page.getByRole('link', { name: 'December 2026' }).click();
    await page.getByRole('link', { name: '1 tenders on 2026-12-09' }).click();
    await page.getByRole('link', { name: evil(11) }).click();
    await page.getByText('surfacing of a road').waitFor();
    expect(new URL(page.url()).search).toBe('?slug=t-road');
    await context.close();
  });

  it('waits for the first build, and then shows it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-first-'));
    const early = await startTestExplorer(folder, { assets: await findUi(), waits: true });
    try {
      const { context, page } = await open({ width: 390 });
      await page.goto(early.address);
      await page.getByText('Nothing is published yet').waitFor();
      await page.getByText('No Temporal server answers').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      const answers = twoNights(evil)
        .slice(0, 9)
        .filter(({ stream, entity }) => stream !== 'companies' || entity !== '4');
      await publishAnswers(folder, answers, 'r1', '2026-11-20T04:00:00Z');
      await page.getByText('Which company?').waitFor();
      await page.goto(`${early.url}/markets`);
      await page.getByText('The second night shows how many companies came').waitFor();
      await page.goto(`${early.url}/company/4`);
      await page.getByText('Never read. A search last named the company').waitFor();
      await context.close();
    } finally {
      await early.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('says when the status of a company that left was read', async () => {
    const { context, page, show } = await open({ width: 1280 });
    await show('/company/2', 'Inactive when last read on 2026-11-21');
    expect(await page.getByText('1 night, ').innerText()).toMatch(/1 night, 2026-11-20$/);
    await show('/company/1?tab=versions', 'The record has one version');
    expect(await page.getByRole('combobox', { name: 'Older version' }).count()).toBe(0);
    await context.close();
  });

  it('keeps the first column in view when a table scrolls sideways', async () => {
    const { context, page, show } = await open({ width: 390 });
    for (const [at, label] of [
      ['/companies', 'companies'],
      ['/markets', 'Country'],
    ] as const) {
      await show(at, 'SE');
      const table = page.getByRole('region', { name: label, exact: true });
      await table.evaluate('(element) => element.scrollBy(400, 0)');
      const frame = await table.boundingBox();
      const cell = await table.locator('tbody td').first().boundingBox();
      expect((cell?.x ?? 0) - (frame?.x ?? 0), at).toBeCloseTo(1, 0);
      expect(cell?.width, at).toBeLessThan(220);
    }
    await context.close();
  });

  it('shows the rows before and after a model change', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-changed-'));
    const models = path.join(folder, 'models');
    mkdirSync(path.join(models, 'marts'), { recursive: true });
    const write = (version: number, where: string): void =>
      writeFileSync(
        path.join(models, 'marts', 'few.sql'),
        `/*\nmodel: marts.few\nkind: table\nversion: ${version}\ngrain: company\nkey: [company_id]\ndescription: Few.\ncolumns:\n  company_id: BIGINT | Id\n*/\nSELECT company_id FROM core.companies WHERE ${where}\n`,
      );
    write(1, 'true');
    await publishAnswers(folder, twoNights(evil), 'r2', '2026-11-21T04:00:00Z', models);
    write(2, 'company_id < 3');
    await publishAnswers(folder, [], 'apply', '2026-11-22T04:00:00Z', models);
    const changed = await startTestExplorer(folder, { assets: await findUi() });
    try {
      const { context, page } = await open({ width: 1280 });
      await page.goto(changed.address);
      await page.goto(`${changed.url}/tables/marts.few?tab=versions`);
      const rows = page.getByRole('region', { name: 'Changes of the model' }).getByRole('row');
      await rows.first().waitFor();
      expect((await rows.nth(1).innerText()).split('\t').map((text) => text.trim())).toEqual([
        '2026-11-22 04:00',
        '1 → 2',
        '5',
        '2',
        '-3',
        'model file changed (run)',
        'query or header changed; columns, key and grain are the same',
      ]);
      expect(await rows.count()).toBe(3);
      await context.close();
    } finally {
      await changed.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('keeps the chosen theme', async () => {
    const { context, page, show } = await open({ width: 1280, colorScheme: 'light' });
    await show('/', 'Which company?');
    await page.getByLabel('Colours').selectOption('dark');
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await context.close();
  });
});

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Runs axe, outside of the page's content security policy. */
async function seriousFindings(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
}
