import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DueEntity } from '../../../../schemas/pipeline/due.js';
import { chunkFile, dueDir } from '../../../../src/store/data-folder.js';
import { planDue, type DueRequest } from '../../../../src/warehouse/due/plan-due.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const BASE: DueRequest = {
  run: 'now',
  market: 'm',
  stream: 'employee_details',
  refreshSeconds: 86_400,
  now: new Date('2026-11-20T04:00:00Z'),
  chunkSize: 100,
};

async function plan(answers: Answer[]): Promise<string[]> {
  const dataDir = temporaryDataDir();
  await land(dataDir, answers);
  const counts = await planDue(await openTestWarehouse(dataDir), new Data(dataDir), BASE);
  const folder = dueDir(dataDir, BASE.run, BASE.stream);
  return Array.from(
    { length: counts.chunks },
    (_, chunk) => JSON.parse(readFileSync(chunkFile(folder, chunk), 'utf8')) as DueEntity[],
  )
    .flat()
    .map(({ id, reason }) => `${reason} ${id}`);
}

const sighted = (ids: number[]): Answer[] =>
  marketNight({ run: 'now', date: '2026-11-20', ids }).filter(({ stream }) => stream === 'prospecting');
const listed = (company: number, people: (number | string)[], run: string, at: string): Answer => ({
  stream: 'employees',
  entity: String(company),
  run,
  at,
  body: { total_employees: people.length, total_pages: 1, data: people.map((id) => ({ id, name: `Person ${id}` })) },
});
const details = (id: number, at: string, rest: Partial<Answer> = {}): Answer => ({
  stream: 'employee_details',
  entity: String(id),
  run: 'before',
  at,
  body: { id },
  ...rest,
});

describe('due employee details', () => {
  test('are people of the latest listing: new ones first, then unfetched, failed and stale ones', async () => {
    const why = await plan([
      ...sighted([7]),
      listed(7, [1, '2', 3, 4, 5, 9], 'before', '2026-11-18T03:00:00Z'),
      // Person 9 left, person 6 is new. Company 8 belongs to another market.
      listed(7, [1, '2', 3, 4, 5, '6'], 'now', '2026-11-20T03:00:00Z'),
      listed(8, [80], 'now', '2026-11-20T03:00:00Z'),
      details(1, '2026-11-20T03:30:00Z'),
      details(2, '2026-11-18T03:30:00Z'),
      details(3, '2026-11-20T03:30:00Z', { status: 404, body: 'gone' }),
      details(4, '2026-11-20T03:30:00Z', { status: 500, body: 'oops' }),
    ]);
    expect(why).toEqual(['new 6', 'unfetched 5', 'failed 4', 'stale 2']);
  });

  test('are all people of a company after an event about an employee', async () => {
    const event = (field: string, company: number): Answer => ({
      stream: 'watch_events',
      entity: String(company),
      body: { data: [{ event_type: field, date_created: '2026-11-20T02:00:00Z' }] },
    });
    const why = await plan([
      ...sighted([7, 8]),
      listed(7, [1, 2], 'before', '2026-11-20T01:00:00Z'),
      listed(8, [3], 'before', '2026-11-20T01:00:00Z'),
      ...[1, 2, 3].map((id) => details(id, '2026-11-20T01:00:00Z')),
      event('employee.phone', 7),
      event('company.fax', 8),
    ]);
    expect(why).toEqual(['event 1', 'event 2']);
  });
});
