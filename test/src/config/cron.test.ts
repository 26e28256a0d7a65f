import { describe, expect, it } from 'vitest';
import { cronFault } from '../../../src/config/cron.js';

describe('cronFault', () => {
  it.each([
    '0 2 * * *',
    ' 30  3 * * mon-fri ',
    '*/15 0-6/2,22 1,15 * *',
    '0 0 29 2 *',
    '0 0 31 1-2 *',
    '0 0 * jan,DEC 0,7',
    '5/10 * * * *',
    '@daily',
    '@hourly',
    '0 0 1,29,31 feb *',
    '0 0 30 2,4 *',
    '59 23 31 12 7',
    '0-59/59 2 * * *',
  ])('accepts the cron expression %j', (cron) => {
    expect(cronFault(cron)).toBeNull();
  });

  it.each([
    ['0 25 * * *', 'its hour, 25, must be between 0 and 23'],
    ['60 2 * * *', 'its minute, 60, must be between 0 and 59'],
    ['0 2 0 * *', 'its day of the month, 0, must be between 1 and 31'],
    ['0 2 * 13 *', 'its month, 13, must be between 1 and 12'],
    ['0 2 * * 8', 'its weekday, 8, must be between 0 and 7'],
    ['0 2 * foo *', 'its month, foo, must contain numbers or names (jan, feb, …)'],
    ['a 2 * * *', 'its minute, a, must contain numbers'],
    ['0 5-2 * * *', 'its hour, 5-2, has an end before its start'],
    ['*/0 * * * *', 'has a step that is not a number above 0'],
    ['*/x * * * *', 'has a step that is not a number above 0'],
    ['0 1-2-3 * * *', 'cannot be read'],
    ['0 1, * * *', 'must contain numbers'],
    ['0 -1 * * *', 'must contain numbers'],
    ['0 0 31 2 *', 'no day matches: none of its months has a day 31'],
    ['0 0 30 2 *', 'no day matches'],
    ['0 0 31 4,6,9,11 *', 'no day matches'],
    ['0 2 * * 1#2', 'must contain numbers or names'],
    ['0 0 L * *', 'must contain numbers'],
    ['0 2 * * ?', 'must contain numbers or names'],
    ['0 2 * *', 'it has 4 fields'],
    ['0 0 2 * * *', 'it has 6 fields'],
    ['@reboot', '@reboot is unknown; use @hourly'],
    ['@dailyish', '@dailyish is unknown; use @hourly'],
    ['0 2 @daily * *', 'must contain numbers'],
    ['0 2 * * TZ=UTC', 'its weekday, TZ=UTC, must contain numbers or names'],
    ['TZ=UTC 0 2 * * *', 'use the key `timezone`'],
    ['0 2 * * 5-8', 'must be between 0 and 7'],
    ['0 1/2/3 * * *', 'cannot be read'],
    ['0 2 x30 * *', 'must contain numbers'],
    ['0 2 30x * *', 'must contain numbers'],
    ['0 2 30,31 2 *', 'none of its months has a day 30'],
    ['@every 5m', 'is unknown; use @hourly'],
    ['CRON_TZ=UTC 0 2 * * *', 'use the key `timezone`'],
    ['', 'five fields'],
  ])('rejects %j: %s', (cron, fault) => {
    expect(cronFault(cron)).toContain(fault);
  });
});
