import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../helpers/processes.js';
import { doubtfulNights, nightsBetween, saferCron } from '../../../src/config/nights.js';

// Dates from the IANA time zone database, release 2025b.
describe('doubtfulNights', () => {
  it.each([
    // zone, cron, now, expected `kind date time`
    ['Europe/Copenhagen', '0 2 * * *', '2026-11-20', ['gap 2027-03-28 02:00', 'fold 2027-10-31 02:00']],
    ['Europe/Copenhagen', '0 2 * * 1-5', '2026-11-20', []],
    ['Europe/Copenhagen', '0 2 * * sun', '2026-11-20', ['gap 2027-03-28 02:00', 'fold 2027-10-31 02:00']],
    ['Europe/Copenhagen', '0 2 28 * *', '2026-11-20', ['gap 2027-03-28 02:00']],
    ['Europe/Copenhagen', '0 2 * apr-sep *', '2026-11-20', []],
    ['Europe/Copenhagen', '30 4 * * *', '2026-11-20', []],
    ['Europe/Copenhagen', '59 1 * * *', '2026-11-20', []],
    ['Europe/Copenhagen', '0 3 * * *', '2026-11-20', []],
    ['Europe/Copenhagen', '*/20 0-6/2 * * *', '2026-11-20', ['gap 2027-03-28 02:00', 'fold 2027-10-31 02:00']],
    ['Europe/Copenhagen', '0 * * * *', '2026-11-20', []],
    ['Europe/Copenhagen', '*/15 * * * *', '2026-11-20', []],
    ['Europe/London', '30 1 * * *', '2026-11-20', ['gap 2027-03-28 01:30', 'fold 2027-10-31 01:30']],
    ['America/New_York', '30 2 * * *', '2026-11-20', ['gap 2027-03-14 02:30']],
    ['America/New_York', '30 1 * * *', '2026-11-20', ['fold 2027-11-07 01:30']],
    // This change is half an hour, from 02:00 to 02:30 and back.
    ['Australia/Lord_Howe', '15 2 * * *', '2026-11-20', ['gap 2027-10-03 02:15']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-11-20', ['fold 2027-04-04 01:45']],
    ['Australia/Lord_Howe', '15 1 * * *', '2026-11-20', []],
    // These clocks change at midnight, or to midnight.
    ['America/Santiago', '@daily', '2026-11-20', ['gap 2027-09-05 00:00']],
    ['America/Santiago', '30 23 * * *', '2026-11-20', ['fold 2027-04-03 23:30']],
    ['Africa/Cairo', '@midnight', '2026-11-20', ['gap 2027-04-30 00:00']],
    ['Asia/Beirut', '0 0 * * *', '2026-11-20', ['gap 2027-03-28 00:00']],
    ['America/Nuuk', '30 23 * * *', '2026-11-20', ['gap 2027-03-27 23:30', 'fold 2027-10-30 23:30']],
    // This change is two hours.
    ['Antarctica/Troll', '30 1,2 * * *', '2026-11-20', ['gap 2027-03-28 01:30', 'fold 2027-10-31 01:30']],
    // Summer time stops for Ramadan.
    ['Africa/Casablanca', '30 2 * * *', '2026-11-20', ['fold 2027-02-07 02:30', 'gap 2027-03-14 02:30']],
    // Permanent changes of the standard time.
    ['Asia/Almaty', '30 23 * * *', '2024-01-01', ['fold 2024-02-29 23:30']],
    ['Europe/Istanbul', '30 3 * * *', '2016-01-01', ['gap 2016-03-27 03:30']],
    // Samoa had no 30 December 2011.
    ['Pacific/Apia', '0 12 * * *', '2011-12-01', ['gap 2011-12-30 12:00']],
    ['UTC', '0 2 * * *', '2026-11-20', []],
    ['Asia/Kolkata', '0 2 * * *', '2026-11-20', []],
    ['Asia/Tokyo', '@hourly', '2026-11-20', []],
  ])('%s, %j from %s: %j', (timezone, cron, now, expected) => {
    const found = doubtfulNights({ cron, timezone }, new Date(now));
    expect(found.map(({ kind, date, time }) => `${kind} ${date} ${time}`)).toEqual(expected);
  });
});

describe('nightsBetween', () => {
  const dated = (cron: string, timezone: string, from: string, to: string): string[] =>
    nightsBetween({ cron, timezone }, new Date(from), new Date(to)).map(
      ({ date, last, kind }) =>
        `${date} ${new Date(last).toISOString().slice(0, 16)}${kind === 'once' ? '' : ` ${kind}`}`,
    );

  it.each([
    [
      '0 2 * * *',
      'Europe/Copenhagen',
      '2027-03-27',
      '2027-03-29T12:00Z',
      ['2027-03-27 2027-03-27T01:00', '2027-03-28 2027-03-28T01:00 gap', '2027-03-29 2027-03-29T00:00'],
    ],
    [
      '0 2 * * *',
      'Europe/Copenhagen',
      '2027-10-30',
      '2027-11-02',
      ['2027-10-30 2027-10-30T00:00', '2027-10-31 2027-10-31T01:00 fold', '2027-11-01 2027-11-01T01:00'],
    ],
    // The shifted time belongs to the date that the schedule names, not to the next one.
    [
      '30 23 * * *',
      'America/Nuuk',
      '2027-03-27T12:00Z',
      '2027-03-29T12:00Z',
      ['2027-03-27 2027-03-28T01:30 gap', '2027-03-28 2027-03-29T00:30'],
    ],
    ['0 2,14 * * *', 'UTC', '2026-11-20', '2026-11-21', ['2026-11-20 2026-11-20T02:00']],
    ['0 2 * * 1-5', 'UTC', '2026-11-20', '2026-11-24', ['2026-11-20 2026-11-20T02:00', '2026-11-23 2026-11-23T02:00']],
    ['0 0 29 2 *', 'UTC', '2027-01-01', '2028-12-31', ['2028-02-29 2028-02-29T00:00']],
    [
      '0 12 * * *',
      'Pacific/Apia',
      '2011-12-29',
      '2011-12-31',
      ['2011-12-29 2011-12-29T22:00', '2011-12-31 2011-12-30T22:00'],
    ],
    ['0 2 * * *', 'Pacific/Kiritimati', '2026-11-20', '2026-11-21', ['2026-11-21 2026-11-20T12:00']],
  ])('%s in %s from %s to %s', (cron, timezone, from, to, expected) => {
    expect(dated(cron, timezone, from, to)).toEqual(expected);
  });
});

describe('saferCron', () => {
  it.each([
    ['0 2 * * *', 'Europe/Copenhagen', '0 4 * * *'],
    ['30 2 * * sun', 'Europe/Copenhagen', '30 4 * * sun'],
    ['15 2 1 * *', 'Australia/Lord_Howe', '15 4 1 * *'],
    ['@daily', 'America/Santiago', '0 4 * * *'],
    ['30 23 * * *', 'America/Nuuk', '30 22 * * *'],
    ['0 2,14 * * *', 'Europe/Copenhagen', '0 4,16 * * *'],
  ])('replaces %j in %s by %j', (cron, timezone, expected) => {
    expect(saferCron({ cron, timezone }, new Date('2026-11-20'))).toBe(expected);
  });

  it('returns null if every choice of hours has a doubtful night', () => {
    expect(saferCron({ cron: '0 0-22 * * *', timezone: 'Europe/Copenhagen' }, new Date('2026-11-20'))).toBeNull();
  });
});

describe('default times', () => {
  it.each(['tidemark.example.yaml', 'docs/configuration.md', 'docs/commands.md', 'src/cli/init/render-config.ts'])(
    '%s names no time between 01:00 and 03:59',
    (file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      const hours = [...text.matchAll(/cron: ["']\S+ (\d+) |(?:time like|default) (\d\d):\d\d/g)];
      expect(hours.map(([, hour, time]) => Number(hour ?? time)).filter((hour) => hour >= 1 && hour <= 3)).toEqual([]);
      expect(hours.length).toBeGreaterThan(0);
    },
  );
});
