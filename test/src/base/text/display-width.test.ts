import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, displayWidth, pad } from '../../../../src/base/text/display-width.js';

describe('display width', () => {
  it('gives wide letters width 2 and combining marks width 0', () => {
    expect(displayWidth('푸른솔 기술')).toBe(11);
    expect(displayWidth('Åkerlund')).toBe(8);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('📈')).toBe(2);
  });

  it('cuts to at most the given width and pads to exactly that', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        const short = cut(text, width);
        expect(displayWidth(short)).toBeLessThanOrEqual(width);
        expect(displayWidth(pad(short, width, 'left'))).toBe(width);
        if (displayWidth(text) <= width) expect(short).toBe(text);
      }),
    );
  });
});
