import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkOrder } from '../../../src/api/chunk-order.js';

const never = new AbortController().signal;

/** A record that ends when the test says so. */
function record(): { work: () => Promise<void>; end: () => void; started: () => boolean } {
  let end = (): void => undefined;
  let begun = false;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async (): Promise<void> => {
    begun = true;
    await ended;
  };
  return { work, end, started: () => begun };
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ChunkOrder', () => {
  it('starts waiting records when its limit grows', async () => {
    const order = new ChunkOrder(1);
    const [first, second] = [order.join(), order.join()];
    const [a, b, c] = [record(), record(), record()];
    const all = [first.run(never, a.work), second.run(never, b.work), second.run(never, c.work)];
    await settled();
    expect([a, b, c].map(({ started }) => started())).toEqual([true, false, false]);
    order.setLimit(2);
    await settled();
    expect([b, c].map(({ started }) => started())).toEqual([true, false]);
    order.setLimit(1);
    b.end();
    await settled();
    expect(c.started()).toBe(false);
    a.end();
    await settled();
    c.end();
    await Promise.all(all);
  });

  it('starts records of a later chunk only if the earlier one leaves room', async () => {
    const order = new ChunkOrder(2);
    const [first, second] = [order.join(), order.join()];
    const [a, b, c, d] = [record(), record(), record(), record()];
    const all = [first.run(never, a.work), first.run(never, b.work)];
    all.push(second.run(never, c.work), second.run(never, d.work));
    await settled();
    expect([a, b, c, d].map(({ started }) => started())).toEqual([true, true, false, false]);
    a.end();
    await settled();
    expect([c, d].map(({ started }) => started())).toEqual([true, false]);
    // The first chunk never waits.
    const e = record();
    all.push(first.run(never, e.work));
    await settled();
    expect(e.started()).toBe(true);
    for (const each of [b, c, e]) each.end();
    await settled();
    d.end();
    await Promise.all(all);
  });

  it('lets the next chunk go first after the first one leaves', async () => {
    const order = new ChunkOrder(1);
    const [first, second] = [order.join(), order.join()];
    const [a, b, c] = [record(), record(), record()];
    const all = [first.run(never, a.work), second.run(never, b.work), second.run(never, c.work)];
    a.end();
    await settled();
    first.leave();
    await settled();
    expect([b, c].map(({ started }) => started())).toEqual([true, true]);
    b.end();
    c.end();
    await Promise.all(all);
  });

  it('stops waiting when the signal aborts', async () => {
    const order = new ChunkOrder(1);
    const [first, second] = [order.join(), order.join()];
    const [a, b] = [record(), record()];
    const running = first.run(never, a.work);
    const cancel = new AbortController();
    const waiting = second.run(cancel.signal, b.work);
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    await expect(second.run(cancel.signal, b.work)).rejects.toThrow('cancelled');
    a.end();
    await running;
    expect(b.started()).toBe(false);
  });

  it('runs every record, and never more than the limit for later chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.array(fc.nat(3), { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
        async (limit, chunks) => {
          const order = new ChunkOrder(limit);
          let active = 0;
          let done = 0;
          const turns = chunks.map(() => order.join());
          const runChunk = async (records: number[], index: number): Promise<void> => {
            const isFirst = (): boolean => left.indexOf(false) === index;
            const one = async (turns_: number): Promise<void> => {
              if (!isFirst()) expect(active).toBeLessThan(limit);
              active++;
              for (let n = 0; n < turns_; n++) await Promise.resolve();
              active--;
              done++;
            };
            try {
              await Promise.all(records.map((ticks) => turns[index]!.run(never, () => one(ticks))));
            } finally {
              left[index] = true;
              turns[index]!.leave();
            }
          };
          const left = chunks.map(() => false);
          await Promise.all(chunks.map(runChunk));
          expect(done).toBe(chunks.flat().length);
          expect(active).toBe(0);
        },
      ),
    );
  });
});
