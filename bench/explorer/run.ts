import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { findUi } from '../../bootstrap/ui.mjs';
import { formatCount } from '../../schemas/format.js';
import type { SearchAnswer } from '../../schemas/explorer/api.js';
import { findChromium } from '../../test/helpers/chromium.js';
import { startTestExplorer, type TestExplorer } from '../../test/helpers/explorer.js';
import { report } from '../report/report.js';
import { measured, median, type Cell, type ResultTable } from '../report/result.js';
import { publishMarket } from './fill-file.js';

const COMPANIES = Number(process.env['EXPLORER_COMPANIES'] ?? 20_000);
const ROUNDS = Number(process.env['EXPLORER_ROUNDS'] ?? 5);
/** Names that are typed, and letters of each. */
const NAMES = 150;
const LETTERS = 10;

/**
 * Measures how soon the explorer shows its first view, and how fast the search answers while a user types.
 * `EXPLORER_COMPANIES` sets the size of the market.
 */
export async function benchExplorer(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-bench-explorer-'));
  try {
    const names = await publishMarket(dataDir, COMPANIES, NAMES);
    const assets = await findUi();
    const first = await firstViews(dataDir, assets, names[0] ?? '');
    const typing = await typeAhead(dataDir, assets, names);
    report({
      bench: 'explorer',
      settings: { EXPLORER_COMPANIES: COMPANIES, EXPLORER_ROUNDS: ROUNDS },
      rounds: ROUNDS,
      tables: [
        { name: 'first view', columns: [`${formatCount(COMPANIES)} companies`, 'measured', 'goal'], rows: first },
        {
          name: 'type-ahead',
          columns: [`${formatCount(COMPANIES)} companies`, 'median', '95 %', 'goal for 95 %', 'answers'],
          rows: typing,
        },
      ],
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Rows = ResultTable['rows'];

/** Starts a new explorer in each round, and opens the start page and the markets. */
async function firstViews(dataDir: string, assets: string, typed: string): Promise<Rows> {
  const times: Record<'page' | 'answers' | 'shown' | 'markets' | 'searched', number[]> = {
    page: [],
    answers: [],
    shown: [],
    markets: [],
    searched: [],
  };
  for (let round = 0; round < ROUNDS; round++) {
    const explorer = await startTestExplorer(dataDir, { assets });
    try {
      const began = performance.now();
      const since = (): number => (performance.now() - began) / 1_000;
      const page = await explorer.ask('/');
      times.page.push(since());
      await page.text();
      await Promise.all([explorer.json('/api/v1/about'), explorer.json('/api/v1/search?q=')]);
      times.answers.push(since());
      const shown = await showInBrowser(explorer);
      if (shown !== null) times.shown.push(shown);
      times.markets.push(await seconds(() => explorer.json('/api/v1/markets')));
    } finally {
      await explorer.stop();
    }
    times.searched.push(await firstSearch(dataDir, assets, typed));
  }
  const row = (name: string, values: number[], goal: Cell = null): Rows[number] => ({
    name,
    cells: [values.length === 0 ? null : measured(values, 'seconds'), goal],
  });
  return [
    row('start page, first byte', times.page),
    row('start page with its answers of the API', times.answers, '1 s'),
    row('start page in Chromium, until a user can type', times.shown, '1 s'),
    row('answer for the page of the markets', times.markets, '1 s'),
    row('from the start until the first answer of the search', times.searched),
  ];
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

/** Seconds from the start of an explorer until the first answer of its search. */
async function firstSearch(dataDir: string, assets: string, name: string): Promise<number> {
  const began = performance.now();
  const explorer = await startTestExplorer(dataDir, { assets });
  try {
    await explorer.json(`/api/v1/search?q=${encodeURIComponent(name)}`);
    return (performance.now() - began) / 1_000;
  } finally {
    await explorer.stop();
  }
}

async function untilPrepared(explorer: TestExplorer): Promise<void> {
  while ((await explorer.json<SearchAnswer>('/api/v1/search?q=')).preparing)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Opens the start page in Chromium. Returns null without a browser. */
async function showInBrowser({ address }: TestExplorer): Promise<number | null> {
  const executablePath = findChromium();
  if (executablePath === undefined) return null;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    return await seconds(async () => {
      await page.goto(address);
      await page.getByRole('combobox', { name: 'Search companies' }).waitFor();
    });
  } finally {
    await browser.close();
  }
}

/** Types names letter by letter. */
async function typeAhead(dataDir: string, assets: string, names: readonly string[]): Promise<Rows> {
  const explorer = await startTestExplorer(dataDir, { assets });
  try {
    const ask = async (text: string): Promise<SearchAnswer> =>
      explorer.json<SearchAnswer>(`/api/v1/search?q=${encodeURIComponent(text)}`);
    await untilPrepared(explorer);
    const typed: number[] = [];
    for (const name of names)
      for (let length = 1; length <= Math.min(LETTERS, name.length); length++)
        typed.push(await seconds(() => ask(name.slice(0, length))));
    const unknown: number[] = [];
    for (const name of names) unknown.push(await seconds(() => ask(`${name} zzqx`)));
    return [
      typingRow(`each letter of ${NAMES} names`, typed, '0.15 s'),
      typingRow('a text that no company has', unknown, null),
    ];
  } finally {
    await explorer.stop();
  }
}

function typingRow(name: string, values: number[], goal: Cell): Rows[number] {
  const sorted = values.toSorted((a, b) => a - b);
  const high = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))];
  return {
    name,
    cells: [
      values.length === 0 ? null : measured([median(values)], 'seconds'),
      high === undefined ? null : measured([high], 'seconds'),
      goal,
      measured([values.length], 'count'),
    ],
  };
}
