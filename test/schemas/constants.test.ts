import { describe, expect, it } from 'vitest';

import { DOUBLE_INDICATORS, INDICATORS, INTEGER_INDICATORS, STRING_INDICATORS } from '../../schemas/v2/indicators.js';
import { ProspectingFilters } from '../../schemas/v2/prospecting.js';
import { CURRENT_WATCH_FIELD, LEGACY_WATCH_FIELDS, WATCH_FIELDS } from '../../schemas/v2/watch-fields.js';

// The numbers were counted in the reference, so a line lost in editing is noticed.
describe('constants of the reference', () => {
  it('lists all 266 indicators with their kinds', () => {
    expect([STRING_INDICATORS.length, INTEGER_INDICATORS.length, DOUBLE_INDICATORS.length]).toEqual([5, 2, 259]);
    expect(INDICATORS.size).toBe(266);
    expect(INDICATORS.get('Turnover')).toBe('double');
    expect(INDICATORS.get('Employee-Numbers')).toBe('integer');
    expect(INDICATORS.get('Reported-Date')).toBe('string');
    expect(INDICATORS.get('constructor')).toBeUndefined();
  });

  it('lists all watch fields and maps earlier names to current ones', () => {
    expect(WATCH_FIELDS).toHaveLength(35);
    expect(LEGACY_WATCH_FIELDS).toHaveLength(21);
    for (const [old, current] of Object.entries(CURRENT_WATCH_FIELD)) {
      expect(LEGACY_WATCH_FIELDS).toContain(old);
      expect(WATCH_FIELDS).toContain(current);
    }
  });

  it('lists all 51 prospecting filters', () => {
    expect(Object.keys(ProspectingFilters.shape)).toHaveLength(51);
  });
});
