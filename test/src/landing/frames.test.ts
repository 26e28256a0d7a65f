import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewRow } from '../../../src/landing/index.js';
import { encodeFrame, endOf, frameOf, parseFrames, rowOf, type Frame } from '../../../src/landing/frames.js';

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

describe('frames', () => {
  it('read back as they were written', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const frames = given.map(frameOf);
        const bytes = encode(frames);
        const found = [...parseFrames(bytes)];
        expect(rowsIn(found)).toEqual(given.map((row, i) => ({ ...row, sha256: frames[i]?.sha256 })));
        const last = found.at(-1);
        expect(last === undefined ? 0 : endOf(last, bytes)).toBe(bytes.length);
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

  it('with changed bytes are skipped, and all others are kept', () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 40 }), (given, at, noise) => {
        fc.pre(given.length > 0);
        const frames = given.map(frameOf);
        const bytes = encode(frames);
        const place = at % bytes.length;
        bytes.set(noise.subarray(0, bytes.length - place), place);
        const ends = frames.map((_, i) => encode(frames.slice(0, i + 1)).length);
        const others = frames.filter((_, i) => (ends[i] ?? 0) <= place || (ends[i - 1] ?? 0) >= place + noise.length);
        expect(rowsIn(parseFrames(bytes))).toEqual(expect.arrayContaining(rowsIn(others)));
        // A changed body is never returned.
        const bodies = new Set(frames.map(({ body }) => body.toString('hex')));
        for (const { body } of parseFrames(bytes)) expect(bodies).toContain(body.toString('hex'));
      }),
    );
  });

  it('follow a damaged frame with a wrong length', () => {
    const frame = frameOf(ROW);
    const wrong = Buffer.from(encode([frame]).toString().replace('"bytes":8', '"bytes":99999999'));
    const found = [...parseFrames(Buffer.concat([encode([frame]), wrong, Buffer.alloc(3 * 2 ** 20), encode([frame])]))];
    expect(rowsIn(found)).toEqual(rowsIn([frame, frame]));
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
