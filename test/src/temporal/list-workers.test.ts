import { expect, it } from 'vitest';
import { mergeWorkers } from '../../../src/temporal/list-workers.js';

const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();

it('merges the polls and activities of each process', () => {
  const polls = [
    { identity: '1@a folder=x', role: 'crawl', seconds: 100 },
    { identity: '1@a folder=x', role: 'crawl', seconds: 130 },
    { identity: '2@b', role: 'standby', seconds: 110 },
  ] as const;
  const chunk = { identity: '1@a folder=x', activity: 'crawlChunk', workflowId: 'snapshot/demo/1' };
  expect(mergeWorkers(polls, [chunk, chunk])).toEqual([
    {
      worker: '1@a',
      roles: ['crawl'],
      polledAt: at(130),
      doing: [{ activity: 'crawlChunk', workflowId: 'snapshot/demo/1', count: 2 }],
    },
    { worker: '2@b', roles: ['standby'], polledAt: at(110), doing: [] },
  ]);
});

it('lists workers that are too busy to poll', () => {
  const running = [
    { identity: '1@a', activity: 'loadLanding', workflowId: 'snapshot/demo/1' },
    { identity: '2@b', activity: 'crawlChunk', workflowId: 'snapshot/demo/1' },
  ];
  const polls = [{ identity: '1@a', role: 'standby', seconds: 100 }] as const;
  expect(mergeWorkers(polls, running).map(({ worker, roles, polledAt }) => [worker, roles, polledAt])).toEqual([
    ['1@a', ['warehouse'], at(100)],
    ['2@b', ['crawl'], null],
  ]);
});
