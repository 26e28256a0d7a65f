import { describe, expect, it } from 'vitest';
import { lateAlerts, type DueNight } from '../../../../src/serve/alerts/late-nights.js';

const NOW = new Date('2026-11-21T12:00:00Z');

function due(market: string | null): DueNight {
  return {
    job: {
      scheduleId: 's',
      workflowType: market === null ? 'tenderSnapshot' : 'marketSnapshot',
      market,
      cron: '30 0 * * *',
      timezone: 'Asia/Tokyo',
      lateAfter: 43_200,
    },
    date: '2026-11-21',
    // 21 November in Tokyo.
    scheduledAt: new Date('2026-11-20T15:30:00Z'),
    state: 'No run started.',
    started: null,
  };
}

describe('late nights', () => {
  it('takes the date of a night in the time zone of its schedule', () => {
    const [alert] = lateAlerts([due('demo')], [], NOW);
    expect(alert).toMatchObject({
      id: 'snapshot/demo/2026-11-21/late',
      title: 'Market demo, night of 2026-11-21: not published in time',
      facts: [
        'It was due to start at 2026-11-20 15:30 UTC and is not published 12h later.',
        'No run started.',
        'No earlier night is published.',
      ],
      workflowId: null,
    });
    expect(alert?.todo).toContain('tidemark snapshot --market demo');
  });

  it('accepts a published night of the same date or a later one, of the same job', () => {
    const latest = (date: string, market: string | null = 'demo') => [
      { workflow_type: market === null ? 'tenderSnapshot' : 'marketSnapshot', market, date },
    ];
    const ids = (night: DueNight, published: ReturnType<typeof latest>) =>
      lateAlerts([night], published, NOW).map(({ id }) => id);
    expect(ids(due('demo'), latest('2026-11-21'))).toEqual([]);
    expect(ids(due('demo'), latest('2026-11-22'))).toEqual([]);
    expect(ids(due('demo'), latest('2026-11-20'))).toEqual(['snapshot/demo/2026-11-21/late']);
    expect(ids(due('demo'), latest('2026-11-21', 'other'))).toEqual(['snapshot/demo/2026-11-21/late']);
    expect(ids(due(null), latest('2026-11-21', null))).toEqual([]);
    expect(ids(due(null), latest('2026-11-21'))).toEqual(['tenders/2026-11-21/late']);
    expect(lateAlerts([due('demo')], latest('2026-11-20'), NOW)[0]?.facts).toContain(
      'Readers see the night of 2026-11-20.',
    );
  });
});
