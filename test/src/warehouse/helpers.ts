import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { LandingStream } from '../../../schemas/pipeline/landing.js';
import { landRows } from '../../../src/landing/index.js';
import { buildModels, loadLanding, openWarehouse, type Warehouse } from '../../../src/warehouse/index.js';

/** One response, as little of it as a test needs to say. */
export interface Answer {
  stream: LandingStream;
  /** Entity id; null for a page of a search. */
  entity?: string | null;
  /** Text is landed as it is, anything else as JSON. */
  body: unknown;
  status?: number;
  /** ISO instant; default 2026-11-20T02:00:00Z. */
  at?: string;
  run?: string;
  date?: string;
  market?: string | null;
  /** Default made from stream and entity. */
  request?: string;
}

export const AT = '2026-11-20T02:00:00.000Z';

/** A data folder of its own, removed when the test ends. */
export function temporaryDataDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-warehouse-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let parts = 0;

/** Lands answers through the real writer: one part for each stream, run and market among them. */
export async function land(dataDir: string, answers: Answer[]): Promise<void> {
  const groups: Record<string, Answer[]> = {};
  for (const answer of answers) {
    (groups[`${answer.stream} ${runOf(answer)} ${dateOf(answer)} ${marketOf(answer)}`] ??= []).push(answer);
  }
  for (const group of Object.values(groups)) {
    const [first] = group;
    if (first === undefined) continue;
    const chunk = `c${parts++}`;
    await landRows(
      { dataDir, stream: first.stream, run: runOf(first), date: dateOf(first), market: marketOf(first), chunk },
      group.map((answer) => ({
        request_key: answer.request ?? `GET /${answer.stream}/${answer.entity ?? 'page'}`,
        entity_id: answer.entity ?? null,
        segment: 's',
        status: answer.status ?? 200,
        fetched_at: answer.at ?? AT,
        body: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
      })),
    );
  }
}

/** Opens a warehouse that is closed when the test ends. */
export async function openTestWarehouse(dataDir: string): Promise<Warehouse> {
  const warehouse = await openWarehouse(dataDir, { threads: 2 });
  onTestFinished(() => warehouse.close());
  return warehouse;
}

/** Lands, loads and builds; gives the warehouse to look into. */
export async function buildFrom(answers: Answer[], personalData = true): Promise<Warehouse> {
  const dataDir = temporaryDataDir();
  await land(dataDir, answers);
  const warehouse = await openTestWarehouse(dataDir);
  await loadLanding(warehouse, dataDir);
  await buildModels(warehouse, { personalData });
  return warehouse;
}

/** Records of one finished market run: run, coverage and one page of a search. */
export function marketNight(night: {
  run: string;
  date: string;
  ids: number[];
  missing?: number;
  market?: string;
  asOfNow?: boolean;
  finished?: boolean;
  heldBack?: string;
}): Answer[] {
  const { run, date, ids, missing = 0, market = 'm', asOfNow = true, finished = true, heldBack = null } = night;
  const place = { run, date, market };
  const reported = ids.length + missing;
  return [
    {
      ...place,
      stream: 'runs',
      entity: run,
      at: `${date}T03:00:00.000Z`,
      body: {
        run_id: run,
        workflow_id: `snapshot/${market}/${date}`,
        workflow_type: 'marketSnapshot',
        market,
        date,
        as_of_now: asOfNow,
        started_at: `${date}T02:00:00.000Z`,
        finished_at: finished ? `${date}T03:00:00.000Z` : null,
        outcome: finished ? 'complete' : 'running',
        requests: 1,
        rows: 1,
        config_hash: 'c',
        filters: {},
        note: heldBack,
        held_back: heldBack,
      },
    },
    {
      ...place,
      stream: 'coverage',
      entity: market,
      at: `${date}T03:00:00.000Z`,
      body: {
        market,
        reported_total: reported,
        distinct_companies: ids.length,
        missing,
        share: ids.length / reported,
        why: [],
      },
    },
    {
      ...place,
      stream: 'prospecting',
      at: `${date}T02:10:00.000Z`,
      request: `POST /v2/prospecting ${run}`,
      body: { total_companies: reported, total_pages: 1, data: ids.map((id) => ({ id, name: `Company ${id}` })) },
    },
  ];
}

function runOf(answer: Answer): string {
  return answer.run ?? 'r1';
}

function dateOf(answer: Answer): string {
  return answer.date ?? '2026-11-20';
}

function marketOf(answer: Answer): string | null {
  return answer.market === undefined ? 'm' : answer.market;
}
