import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJob, readOwners } from '../../../../../src/api/routes/read-ownership.js';
import {
  decidePoll,
  decideStart,
  secondsToPoll,
  type OwnerJob,
  type PollTimes,
} from '../../../../../src/crawl/streams/owners/job-state.js';

const AT = '2026-11-20T02:00:00.000Z';
const NOW = new Date(AT);
const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
const RUN = { run: 'r2', startedAt: AT };
const ROW = { request_key: 'k', entity_id: '7', row_kind: 'started:1', status: 200, fetched_at: AT, body: '{}' };

function job(changes: Partial<OwnerJob> = {}): OwnerJob {
  const plain = { jobId: '1', askedAt: AT, endedAt: null, polledAt: AT, misses: 0, row: null, landed: null };
  return { company: '7', state: 'started', run: 'r2', ...plain, ...changes };
}

describe('the start of a job', () => {
  it.each<[string, OwnerJob | null, string]>([
    ['no job is known', null, 'start'],
    ['this run has asked and lost the answer', job({ state: 'asked' }), 'leave'],
    ['another run asks at this moment', job({ state: 'asked', run: 'r1' }), 'leave'],
    ['this run started it before a crash', job({ row: ROW }), 'land'],
    ['this run found no job before a crash', job({ state: 'ended', endedAt: AT, row: ROW }), 'land'],
    ['another run started it', job({ run: 'r1', row: ROW }), 'leave'],
    ['it ended after the run began', job({ state: 'ended', run: 'r1', endedAt: AT }), 'leave'],
    ['it ended long ago', job({ state: 'ended', run: 'r1', endedAt: '2026-08-20T02:00:00.000Z' }), 'start'],
  ])('when %s', (_, known, decision) => {
    expect(decideStart(known, RUN)).toBe(decision);
  });

  it('never starts a job while one may be open', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('asked' as const, 'started' as const),
        fc.constantFrom('r1', 'r2'),
        fc.boolean(),
        (state, run, landed) => {
          const known = job({ state, run, row: landed ? null : ROW });
          expect(decideStart(known, RUN)).not.toBe('start');
        },
      ),
    );
  });
});

describe('a poll of a job', () => {
  const times = (seconds: number, changes: Partial<PollTimes> = {}): PollTimes => ({
    now: after(seconds),
    real: after(seconds),
    pollEvery: 300,
    ...changes,
  });

  it('happens at most once per interval', () => {
    expect(decidePoll(job(), 'r2', times(299))).toBe('wait');
    expect(decidePoll(job(), 'r2', times(300))).toBe('poll');
    expect(secondsToPoll(job(), times(299))).toBe(1);
    expect(secondsToPoll(job(), times(1))).toBe(299);
    expect(secondsToPoll(job(), times(-900))).toBe(300);
  });

  it('ends a job that is older than 7 days, by the logical clock', () => {
    expect(decidePoll(job(), 'r2', times(10, { now: after(7 * 86_400 + 1) }))).toBe('expire');
    expect(decidePoll(job(), 'r2', times(7 * 86_400))).toBe('poll');
  });

  it('leaves a job to another run until nobody polls it', () => {
    expect(decidePoll(job(), 'r3', times(1_799))).toBe('leave');
    expect(decidePoll(job(), 'r3', times(1_800))).toBe('poll');
  });

  it('polls again after the clock was set back', () => {
    expect(decidePoll(job(), 'r2', times(-5))).toBe('poll');
  });
});

describe('an answer about a job', () => {
  it.each<[object, ReturnType<typeof readJob>]>([
    [
      { job_id: 'ubo-1', status: 'PENDING', result: null },
      { jobId: 'ubo-1', state: 'running' },
    ],
    [{ data: { jobId: 'job:1', phase: 'In progress' } }, { jobId: 'job:1', state: 'running' }],
    [
      { id: 17, state: 'COMPLETED' },
      { jobId: '17', state: 'done' },
    ],
    [{ job: { id: 'a', status: 'failed' } }, { jobId: 'a', state: 'failed' }],
    [
      { job_id: 'a', data: { job_id: 'b' }, finished: true },
      { jobId: null, state: 'done' },
    ],
    [
      { job_id: 'a', done: false },
      { jobId: 'a', state: 'running' },
    ],
    [{ status: 'sleeping' }, { jobId: null, state: 'unclear' }],
    [
      { status: 'running', data: { status: 'done' } },
      { jobId: null, state: 'running' },
    ],
    [[], { jobId: null, state: 'unclear' }],
  ])('reads %j', (answer, read) => {
    expect(readJob(JSON.stringify(answer))).toEqual(read);
  });

  it('keeps every digit of a long id', () => {
    expect(readJob('{"job_id": 9107199254740993001}').jobId).toBe('9107199254740993001');
  });

  it('reads the flag and the job of an answer about owners', () => {
    expect(readOwners('{"data":{"inconclusive":"no"},"job":{"id":5}}')).toEqual({ conclusive: true, jobId: '5' });
    expect(readOwners('{"conclusive":true,"data":{"conclusive":false}}')).toEqual({ conclusive: null, jobId: null });
    expect(readOwners('{"conclusive":"perhaps","id":3}')).toEqual({ conclusive: null, jobId: null });
  });
});
