import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrap } from '../../../ui/src/lib/wrap.js';

it('breaks any text into short lines, and loses no letter', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 60 }), (text, letters) => {
      const lines = wrap(text, letters).split('\n');
      fc.pre(!text.includes('\n'));
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(letters);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});
