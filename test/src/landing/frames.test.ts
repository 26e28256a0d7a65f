import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewRow } from '../../../src/landing/index.js';
import { encodeFrame, frameOf, parseFrames, rowOf, streamFrames, type Frame } from '../../../src/landing/frames.js';

const text = fc.string({ unit: 'grapheme' });
const rows: fc.Arbitrary<NewRow[]> = fc.array(
  fc.record({
    request_key: text,
    entity_id: fc.option(text),
    row_kind: text,
    status: fc.integer({ min: 0, max: 599 }),
    fetched_at: fc.constant('2026-11-20T02:00:00.123Z'),
    body: fc.oneof(text, fc.constantFrom('', '\n', '{"a":"\n"}\n', 'ø'.repeat(3_000))),
  }),
  { maxLength: 6 },
);
const encode = (frames: readonly Frame[]): Buffer => Buffer.concat(frames.flatMap(encodeFrame));
const rowsIn = (frames: Iterable<Frame>) => [...frames].map((frame) => ({ ...rowOf(frame) }));

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('frames', () => {
  it('read back as they were written, in chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 5_000 }), async (given, size) => {
        const frames = given.map(frameOf);
        const bytes = encode(frames);
        const found: (Frame & { end: number })[] = [];
        for await (const frame of streamFrames(chunks(bytes, size))) found.push(frame);
        expect(rowsIn(found)).toEqual(given.map((row, i) => ({ ...row, sha256: frames[i]?.facts.sha256 })));
        expect(rowsIn(parseFrames(bytes))).toEqual(rowsIn(found));
        expect(found.at(-1)?.end ?? 0).toBe(bytes.length);
      }),
    );
  });

  it('before a cut at any byte are kept, and the cut frame is dropped', () => {
    fc.assert(
      fc.property(
        rows,
        fc.nat(),
        fc.constantFrom('', '\0\0\0', '\n', '{"bytes":1}\nx\n', 'null\n'),
        (given, at, tail) => {
          const frames = given.map(frameOf);
          const bytes = encode(frames);
          const cut = bytes.length === 0 ? 0 : at % bytes.length;
          const ends = frames.map((_, i) => encode(frames.slice(0, i + 1)).length);
          const whole = frames.slice(0, ends.filter((end) => end <= cut).length);
          const torn = Buffer.concat([bytes.subarray(0, cut), Buffer.from(tail)]);
          expect(rowsIn(parseFrames(torn)).slice(0, whole.length)).toEqual(rowsIn(whole));
          // A line break completes a frame that lacks only this.
          const completes = tail === '\n' && ends.includes(cut + 1) ? 1 : 0;
          expect(rowsIn(parseFrames(torn))).toHaveLength(whole.length + completes);
        },
      ),
    );
  });

  it('with changed bytes are skipped, and all others are kept', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 5_000 }),
        async (given, at, noise, size) => {
          fc.pre(given.length > 0);
          const frames = given.map(frameOf);
          const bytes = encode(frames);
          const place = at % bytes.length;
          bytes.set(noise.subarray(0, bytes.length - place), place);
          const ends = frames.map((_, i) => encode(frames.slice(0, i + 1)).length);
          const others = frames.filter((_, i) => (ends[i] ?? 0) <= place || (ends[i - 1] ?? 0) >= place + noise.length);
          const found = rowsIn(parseFrames(bytes));
          expect(found).toEqual(expect.arrayContaining(rowsIn(others)));
          const streamed: Frame[] = [];
          for await (const frame of streamFrames(chunks(bytes, size))) streamed.push(frame);
          expect(rowsIn(streamed)).toEqual(found);
          // A changed body is never returned.
          const bodies = new Set(frames.map(({ body }) => body.toString('hex')));
          for (const { body } of parseFrames(bytes)) expect(bodies).toContain(body.toString('hex'));
        },
      ),
    );
  });

  it('follow bytes that are longer than any frame', async () => {
    const frame = frameOf(ROW);
    const long = Buffer.concat([encode([frame]), Buffer.alloc(3 * 2 ** 20), Buffer.from('\n'), encode([frame])]);
    const found: (Frame & { end: number })[] = [];
    for await (const one of streamFrames(chunks(long, 2 ** 16), 2 ** 20)) found.push(one);
    expect(rowsIn(found)).toEqual(rowsIn([frame, frame]));
    expect(found.at(-1)?.end).toBe(long.length);
  });
});

const ROW: NewRow = {
  request_key: 'GET /v2/companies/1',
  entity_id: '1',
  row_kind: 'record',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.123Z',
  body: '{"id":1}',
};
