import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCertainlyGone, look, type Watch } from '../../../../src/store/lock/holder.mjs';

const STEP = 4_000;
const watch = (looks: readonly { seen: Pick<Watch, 'id' | 'beat'>; at: number }[]): Watch | undefined =>
  looks.reduce<Watch | undefined>((before, { seen, at }) => look(before, seen, at, STEP), undefined);

describe('a lease seen by a waiter', () => {
  it('measures the time since the last heartbeat', () => {
    const looks = [0, 200, 400, 600].map((at) => ({ seen: { id: 'a', beat: 7 }, at }));
    expect(watch(looks)).toMatchObject({ unchangedMs: 600, moved: false });
  });

  it('restarts at each heartbeat and each new holder', () => {
    const first = [0, 1_000].map((at) => ({ seen: { id: 'a', beat: 7 }, at }));
    expect(watch([...first, { seen: { id: 'a', beat: 8 }, at: 2_000 }])).toMatchObject({ unchangedMs: 0, moved: true });
    expect(watch([...first, { seen: { id: 'b', beat: 7 }, at: 2_000 }])).toMatchObject({
      unchangedMs: 0,
      moved: false,
    });
  });

  it('ignores most of the time in which the waiter itself was frozen', () => {
    const seen = { id: 'a', beat: 7 };
    expect(watch([0, 3_600_000].map((at) => ({ seen, at })))?.unchangedMs).toBe(STEP);
  });

  it('never measures more than the time since the last heartbeat', () => {
    const looks = fc.array(fc.record({ beat: fc.nat(3), pause: fc.nat(10_000) }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(looks, (steps) => {
        let at = 0;
        let seenSince = 0;
        let last = -1;
        let state: Watch | undefined;
        let heartbeat = 0;
        for (const { beat, pause } of steps) {
          at += pause;
          heartbeat += beat;
          if (heartbeat !== last) seenSince = at;
          last = heartbeat;
          state = look(state, { id: 'a', beat: heartbeat }, at, STEP);
          expect(state.unchangedMs).toBeLessThanOrEqual(at - seenSince);
        }
      }),
    );
  });
});

describe('isCertainlyGone', () => {
  const none = (): boolean => false;
  const some = (): boolean => true;

  it('reports a process dead only in its own process namespace', () => {
    expect(isCertainlyGone({ pid: 1, place: 'boot ns host' }, 'boot ns host', none)).toBe(true);
    expect(isCertainlyGone({ pid: 1, place: 'boot other host' }, 'boot ns host', none)).toBe(false);
    expect(isCertainlyGone({ pid: 1, place: '' }, '', none)).toBe(false);
  });

  it('reports no process dead whose id is in use', () => {
    expect(isCertainlyGone({ pid: 1, place: 'boot ns host' }, 'boot ns host', some)).toBe(false);
  });
});
