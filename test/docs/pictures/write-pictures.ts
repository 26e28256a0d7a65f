import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { ensureTemporalCli } from '../../../bootstrap/temporal.mjs';
import { DEV_SERVER_ATTRIBUTES } from '../../../src/temporal/search-attributes.js';
import { findChromium } from '../../helpers/chromium.js';
import { ROOT, startProcess } from '../../helpers/processes.js';
import type { Project } from '../../helpers/project.js';
import { makeNights } from './make-nights.js';
import { VIEWS } from './views.js';

/*
 * `npm run docs:pictures` writes the pictures of the explorer and of the Temporal UI into docs/images. It makes six nights
 * with the sandbox, Temporal and a worker, and needs Chromium. `npm run docs:pictures -- FOLDER` writes each view in three
 * widths, light and dark, into the folder instead, to look at them.
 */

const WIDTHS = [390, 1280, 2000];
const SCHEMES = ['light', 'dark'] as const;

interface Shot {
  width: number;
  scheme: (typeof SCHEMES)[number];
  file: string;
  wholePage: boolean;
}

async function main(folder: string | undefined): Promise<void> {
  const ending: (() => Promise<unknown>)[] = [];
  try {
    await writePictures(folder, ending);
  } finally {
    for (const end of ending.toReversed()) await end();
  }
}

async function writePictures(folder: string | undefined, ending: (() => Promise<unknown>)[]): Promise<void> {
  const out = folder ?? path.join(ROOT, 'docs', 'images');
  mkdirSync(out, { recursive: true });
  const uiPort = await findFreePort();
  const temporalUi = `http://127.0.0.1:${uiPort}`;
  const temporal = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path: (await ensureTemporalCli({ log: () => undefined })).path },
      uiPort,
      extraArgs: [...DEV_SERVER_ATTRIBUTES],
    },
  });
  ending.push(() => temporal.teardown());
  const project = await makeNights(temporal.address, ending);
  const explorer = await startProcess(['bin/tidemark.mjs', 'ui', '--port', '0'], {
    env: { ...project.env, TIDEMARK_TEMPORAL_UI: temporalUi },
    ready: /http:\S+/,
  });
  ending.push(() => explorer.stop());
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
  ending.push(() => browser.close());
  const address = /http:\S+/.exec(explorer.readyLine)?.[0] ?? '';
  const ids = await readIds(project);
  await takeTemporal(browser, temporalUi, out);
  for (const view of VIEWS)
    for (const shot of shotsOf(view.name, view.pictures, folder)) await take(browser, address, view.at(ids), shot);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The shots of a view: for the docs those that the view names, for a folder all. */
function shotsOf(name: string, pictures: readonly string[], folder: string | undefined): Shot[] {
  if (folder === undefined)
    return pictures.map((picture) => {
      const phone = picture.endsWith('-phone');
      return {
        width: phone ? 390 : 1280,
        scheme: phone ? 'dark' : 'light',
        file: path.join(ROOT, 'docs', 'images', `${picture}.png`),
        wholePage: false,
      };
    });
  return WIDTHS.flatMap((width) =>
    SCHEMES.map((scheme) => ({
      width,
      scheme,
      file: path.join(folder, `${name}-${width}-${scheme}.png`),
      wholePage: true,
    })),
  );
}

async function take(browser: Browser, address: string, at: string, shot: Shot): Promise<void> {
  const page = await openPage(browser, shot.width, shot.scheme);
  await page.goto(address);
  await page.goto(new URL(at, address).href);
  await page.waitForLoadState('networkidle');
  // Charts are drawn after the data has arrived.
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: shot.file, fullPage: shot.wholePage });
  console.log(path.basename(shot.file));
  await page.context().close();
}

/** Takes the run in progress in the Temporal UI. */
async function takeTemporal(browser: Browser, address: string, folder: string): Promise<void> {
  const page = await openPage(browser, 1280, 'light');
  await page.goto(`${address}/namespaces/default/workflows`);
  await page.getByText('snapshot/demo').first().click();
  await page.getByText('Event History').first().waitFor();
  await page.waitForTimeout(2_000);
  await page.screenshot({ path: path.join(folder, 'temporal-ui-run.png') });
  await page.context().close();
}

async function openPage(browser: Browser, width: number, colorScheme: Shot['scheme']): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: width < 500 ? 800 : 860 }, colorScheme });
  return context.newPage();
}

/** Ids that the views show: a company with many years and one that left, and an open tender. */
async function readIds(project: Project) {
  const one = async (sql: string): Promise<string> => {
    const [row] = await project.query(`SELECT CAST((${sql}) AS VARCHAR) AS id`);
    return typeof row?.['id'] === 'string' ? row['id'] : '';
  };
  return {
    company: await one(`SELECT company_id FROM marts.companies JOIN core.owners USING (company_id)
      WHERE in_market AND turnover_eur IS NOT NULL ORDER BY turnover_eur DESC LIMIT 1`),
    gone: await one('SELECT company_id FROM marts.companies WHERE NOT in_market LIMIT 1'),
    changed: await one('SELECT company_id FROM core.companies_history GROUP BY ALL HAVING count(*) > 1 LIMIT 1'),
    tender: await one('SELECT slug FROM marts.tender_pipeline ORDER BY deadline_date DESC NULLS LAST LIMIT 1'),
  };
}

await main(process.argv[2]);
