import { expect, it } from 'vitest';
import { readProjectFiles } from './project-files.js';

// These files use the functions of schemas/format.ts only. Dates in a time zone and letters of a text are no numbers.
const OWN_FORMAT = /\.toLocale(Date|Time)?String\b|\bIntl\.NumberFormat\(/;

it('formats numbers in schemas/format.ts only', () => {
  const files = readProjectFiles(/^(src|schemas|workflows|activities|sandbox|bench|bin|bootstrap)\/.*\.m?ts$|\.mjs$/);
  expect(files.size).toBeGreaterThan(300);
  const hits = [...files].filter(([, text]) => OWN_FORMAT.test(text)).map(([file]) => file);
  expect(hits).toEqual(['schemas/format.ts']);
});
