import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OpenRunInput, WorkflowType } from '../../../../schemas/pipeline/run.js';
import { ConfigSchema } from '../../../../src/config/config-schema.js';
import type { Config } from '../../../../src/config/config.js';
import { resolveLogicalDate } from '../../../../src/crawl/run/logical-date.js';
import { openRun, type Past } from '../../../../src/crawl/run/open-run.js';

const NOW = new Date('2026-11-20T23:30:00Z');
const clock = { now: () => NOW };
const config: Config = {
  ...ConfigSchema.parse({
    api: { baseUrl: 'http://127.0.0.1:1' },
    markets: [
      {
        name: 'nordics',
        filters: { company_status: [199] },
        minCoverage: '98%',
        schedule: { cron: '0 2 * * *', timezone: 'Asia/Tokyo' },
      },
    ],
    tenders: { filters: { must: { status: [1] } } },
  }),
  file: 'tidemark.yaml',
  fileHash: 'h',
  dataDir: 'data',
  hash: 'h',
};

const open = (workflowType: WorkflowType, input: unknown, more: Partial<OpenRunInput> = {}, past: Past = {}) =>
  openRun(config, clock, { workflowType, workflowId: 'w', run: 'r', input, ...more }, past);

describe('marketSnapshot', () => {
  it("opens a market run for today in the schedule's zone", () => {
    expect(open('marketSnapshot', {})).toMatchObject({
      date: '2026-11-21',
      asOfNow: true,
      market: 'nordics',
      filters: { company_status: [199] },
      note: null,
    });
  });

  it('uses the nominal time of the schedule, not the clock', () => {
    const scheduled = open('marketSnapshot', { market: 'nordics' }, { scheduledTime: '2026-03-08T17:00:00Z' });
    expect(scheduled).toMatchObject({ date: '2026-03-09', asOfNow: false });
    expect(scheduled.note).toMatch(/2026-03-09 is in the past/);
  });

  it("counts a night that starts a few hours late as tonight's", () => {
    expect(open('marketSnapshot', {}, { scheduledTime: '2026-11-20T22:00:00Z' })).toMatchObject({ asOfNow: true });
  });

  it.each([
    [{ market: 'mars' }, /no market "mars".*declares: nordics/],
    [{ marekt: 'nordics' }, /Unrecognized key: "marekt"/],
    [{ date: '2026-02-30' }, /date: Invalid ISO date/],
    [{ date: '2026-12-24' }, /2026-12-24 is in the future/],
    ['today', /Wrong input/],
  ])('rejects the market run input %j', (input, words) => {
    expect(() => open('marketSnapshot', input)).toThrow(words);
  });
});

describe('run sizes', () => {
  it('takes run sizes from the worker, if set', () => {
    const sizes = { eventsPerRun: 40, chunkSize: 10 };
    expect(open('marketSnapshot', {}, {}, { sizes })).toMatchObject(sizes);
    const usual = open('marketSnapshot', {});
    expect(['eventsPerRun' in usual, 'chunkSize' in usual]).toEqual([false, false]);
  });
});

describe('publish thresholds of a run', () => {
  it('takes publish thresholds from the configuration and the current night', () => {
    const current = { date: '2026-11-19', companies: 9_000, comparable: true };
    const asked: unknown[] = [];
    const currentNight: Past['currentNight'] = (...args) => {
      asked.push(args);
      return current;
    };
    expect(open('marketSnapshot', {}, {}, { currentNight }).gate).toEqual({ minCoverage: 0.98, maxDrop: 0.1, current });
    expect(asked).toEqual([['nordics', { company_status: [199] }]]);
    expect(open('marketSnapshot', {}).gate).toEqual({ minCoverage: 0.98, maxDrop: 0.1, current: null });
  });

  it('sets no publish thresholds for runs without a market as of now', () => {
    expect(open('marketSnapshot', { date: '2026-03-01' }).gate).toBeNull();
    expect(open('watchSync', {}).gate).toBeNull();
  });
});

describe('tenderSnapshot', () => {
  it('reads all tenders today, and for a past date those created then', () => {
    expect(open('tenderSnapshot', {}).filters).toEqual({ must: { status: [1] } });
    expect(open('tenderSnapshot', { date: '2026-01-02' }).filters).toEqual({
      must: { status: [1], date_created: { from: '2026-01-02', to: '2026-01-02' } },
    });
  });
});

describe('watchSync', () => {
  it('looks back to the day before the last sync, at first 30 days', () => {
    expect(open('watchSync', {}, {}, { lastWatchSync: '2026-11-15' })).toMatchObject({
      from: '2026-11-14',
      to: '2026-11-20',
    });
    expect(open('watchSync', {})).toMatchObject({ from: '2026-10-21', to: '2026-11-20' });
    expect(open('watchSync', { date: '2026-05-05' }, {}, { lastWatchSync: '2026-11-15' })).toMatchObject({
      from: '2026-05-05',
      to: '2026-05-05',
    });
  });
});

describe('backfill', () => {
  it('requires a past span in order for a backfill', () => {
    expect(open('backfill', { from: '2026-01-01', to: '2026-01-31' })).toMatchObject({
      from: '2026-01-01',
      to: '2026-01-31',
      date: '2026-11-20',
      asOfNow: false,
      streams: ['tenders', 'watch_events', 'contact_metrics', 'financials'],
    });
    expect(() => open('backfill', { from: '2026-02-01', to: '2026-01-01' })).toThrow(/is after to/);
    expect(() => open('backfill', { from: '2026-02-01', to: '2027-01-01' })).toThrow(/future/);
    expect(() => open('backfill', {})).toThrow(/from: .*to: /);
    expect(() => open('backfill', { from: '2026-01-01', to: '2026-01-02', streams: ['weather'] })).toThrow(/streams/);
  });

  it('backfills version 1 reports if named or if a market reads them', () => {
    const [market] = config.markets;
    const withV1: Config = { ...config, markets: [{ ...market!, streams: ['companies', 'financials_v1'] }] };
    const input = { from: '2026-01-01', to: '2026-01-31' };
    const asked = openRun(withV1, clock, { workflowType: 'backfill', workflowId: 'w', run: 'r', input });
    expect(asked.streams).toEqual(['tenders', 'watch_events', 'contact_metrics', 'financials', 'financials_v1']);
    expect(asked.refreshSeconds).toMatchObject({ financials_v1: 90 * 86_400 });
    expect(open('backfill', { ...input, streams: ['financials_v1'] }).streams).toEqual(['financials_v1']);
  });
});

it('gives no run a date in the future', () => {
  const instant = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  const zone = fc.constantFrom('UTC', 'Asia/Tokyo', 'America/Los_Angeles', 'Europe/Copenhagen', 'Pacific/Kiritimati');
  fc.assert(
    fc.property(instant, fc.option(instant, { nil: undefined }), zone, (now, scheduled, timeZone) => {
      const today = resolveLogicalDate({ now }, undefined, timeZone).date;
      const opening = { scheduledTime: scheduled?.toISOString(), now };
      try {
        const { date, asOfNow } = resolveLogicalDate(opening, undefined, timeZone);
        expect(date <= today).toBe(true);
        if (date === today) expect(asOfNow).toBe(true);
      } catch (error) {
        expect(String(error)).toMatch(/is in the future/);
      }
    }),
  );
});
