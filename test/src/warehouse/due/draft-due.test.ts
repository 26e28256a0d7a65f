import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueDir } from '../../../../src/store/data-folder.js';
import { draftDue, finishDraft } from '../../../../src/warehouse/due/draft-due.js';
import { planDue, type DueRequest } from '../../../../src/warehouse/due/plan-due.js';
import { readManifests } from '../../../../src/landing/index.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const request = (stream: DueRequest['stream']): DueRequest => ({
  run: 'now',
  market: 'm',
  stream,
  refreshSeconds: 86_400,
  now: new Date('2026-11-20T04:00:00Z'),
  chunkSize: 3,
});

const IDS = [1, 2, 3, 4, 5, 6, 7, 8];
/** State of one company: its answers of earlier nights, and what the API answers tonight. */
interface Company {
  record: 'none' | 'found' | 'gone' | 'failed';
  report: 'none' | 'fresh' | 'stale' | 'failed';
  /** Whether a watch event names the company, so that its record is due. */
  event: boolean;
  tonight: 'found' | 'gone' | 'failed';
}

const company = fc.record<Company>({
  record: fc.constantFrom('none', 'found', 'gone', 'failed'),
  report: fc.constantFrom('none', 'fresh', 'stale', 'failed'),
  event: fc.boolean(),
  tonight: fc.constantFrom('found', 'gone', 'failed'),
});

const STATUS = { found: 200, gone: 404, failed: 500 } as const;

function recordOf(id: number, how: keyof typeof STATUS, at: string): Answer {
  const body = how === 'found' ? { id, name: `Company ${id}` } : how;
  return { stream: 'companies', entity: String(id), at, status: STATUS[how], body };
}

function before(companies: readonly Company[]): Answer[] {
  const searched = marketNight({ run: 'now', date: '2026-11-20', ids: IDS });
  return [
    ...searched.filter(({ stream }) => stream === 'prospecting'),
    ...companies.flatMap(({ record, report, event }, index): Answer[] => {
      const id = IDS[index]!;
      const at = report === 'fresh' ? '2026-11-20T01:30:00Z' : '2026-11-10T00:00:00Z';
      return [
        ...(record === 'none' ? [] : [recordOf(id, record, '2026-11-20T01:00:00Z')]),
        ...(report === 'none'
          ? []
          : [
              {
                stream: 'financials',
                entity: String(id),
                at,
                status: report === 'failed' ? 500 : 200,
                body: report === 'failed' ? 'failed' : { 2024: { Turnover: id } },
              } as Answer,
            ]),
        ...(event
          ? [
              {
                stream: 'watch_events',
                entity: String(id),
                body: { data: [{ event_type: 'company.name', date_created: '2026-11-20T02:00:00Z' }] },
              } as Answer,
            ]
          : []),
      ];
    }),
  ];
}

function filesOf(dataDir: string): Record<string, string> {
  const folder = dueDir(dataDir, 'now', 'financials');
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}

/** Plans the company records and drafts the reports. Then lands the records that are due. */
async function draftNight(companies: readonly Company[]): Promise<string> {
  const dataDir = temporaryDataDir();
  await land(dataDir, before(companies));
  const warehouse = await openTestWarehouse(dataDir);
  await planDue(warehouse, new Data(dataDir), request('companies'));
  await draftDue(warehouse, dataDir, [request('financials')]);
  const folder = dueDir(dataDir, 'now', 'companies');
  const due = readdirSync(folder)
    .filter((name) => name.startsWith('chunk-'))
    .flatMap((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as { id: string }[]);
  const answers = due.map(({ id }) => recordOf(Number(id), companies[IDS.indexOf(Number(id))]!.tonight, TONIGHT));
  if (answers.length > 0)
    await land(
      dataDir,
      answers.map((answer) => ({ ...answer, run: 'now' })),
    );
  return dataDir;
}

const TONIGHT = '2026-11-20T03:00:00Z';

describe('a drafted plan', () => {
  test('equals the plan that is made after the company records are loaded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(company, { minLength: 8, maxLength: 8 }), async (companies) => {
        const dataDir = await draftNight(companies);
        const direct = temporaryDataDir();
        cpSync(path.join(dataDir, 'landing'), path.join(direct, 'landing'), { recursive: true });
        const warehouse = await openTestWarehouse(direct);
        const expected = await planDue(warehouse, new Data(direct), request('financials'));
        expect(await finishDraft(new Data(dataDir), request('financials'))).toEqual(expected);
        expect(filesOf(dataDir)).toEqual(filesOf(direct));
      }),
      // Shrinking would take minutes.
      { numRuns: 4, endOnFailure: true },
    );
  });

  test('is missing for a stream without draft', async () => {
    expect(await finishDraft(new Data(temporaryDataDir()), request('financials'))).toBeUndefined();
  });

  test('makes the same plan again after a kill between plan and removal of the draft', async () => {
    const companies = IDS.map((): Company => ({ record: 'none', report: 'none', event: false, tonight: 'found' }));
    const dataDir = await draftNight(companies);
    const folder = dueDir(dataDir, 'now', 'financials');
    const kept = temporaryDataDir();
    cpSync(folder, kept, { recursive: true });
    const first = await finishDraft(new Data(dataDir), request('financials'));
    const files = filesOf(dataDir);
    cpSync(kept, folder, { recursive: true });
    expect(await finishDraft(new Data(dataDir), request('financials'))).toEqual(first);
    expect(filesOf(dataDir)).toEqual(files);
  });

  test('is not used if a landed part cannot be read', async () => {
    const companies = IDS.map((): Company => ({ record: 'none', report: 'none', event: false, tonight: 'gone' }));
    const dataDir = await draftNight(companies);
    for (const { file } of readManifests(dataDir, { stream: 'companies', run: 'now' })) writeFileSync(file, 'damaged');
    expect(await finishDraft(new Data(dataDir), request('financials'))).toBeUndefined();
    expect(existsSync(path.join(dueDir(dataDir, 'now', 'financials'), 'plan.json'))).toBe(false);
  });
});
