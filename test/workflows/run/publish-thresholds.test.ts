import { describe, expect, it } from 'vitest';
import type { Coverage, PublishThresholds } from '../../../schemas/pipeline/run.js';
import { heldBackBy, isIncomplete } from '../../../workflows/run/publish-thresholds.js';

const gate = (more: Partial<PublishThresholds> = {}): PublishThresholds => ({
  minCoverage: 0,
  maxDrop: 0.1,
  current: { date: '2026-11-19', companies: 1_000, comparable: true },
  ...more,
});
const reached = (distinctCompanies: number, reportedTotal: number): Coverage => ({
  reportedTotal,
  distinctCompanies,
  missing: Math.max(0, reportedTotal - distinctCompanies),
  share: reportedTotal === 0 ? 1 : distinctCompanies / reportedTotal,
});

describe('heldBackBy', () => {
  it('holds back a night below minCoverage and names the current one', () => {
    const words = heldBackBy(gate({ minCoverage: 0.98 }), reached(979, 1_000));
    expect(words).toMatch(/the run found 979 of 1,000 companies \(97\.9 %\), below minCoverage \(98 %\)/);
    expect(words).toMatch(/night of 2026-11-19 stays current/);
    expect(heldBackBy(gate({ minCoverage: 0.98 }), reached(980, 1_000))).toBeNull();
  });

  it('holds back the first night below minCoverage', () => {
    const words = heldBackBy(gate({ minCoverage: 0.98, current: null }), reached(10, 1_000));
    expect(words).toMatch(/This market has no current night yet/);
  });

  it('holds back a night with far fewer companies than the one before', () => {
    expect(heldBackBy(gate(), reached(0, 0))).toMatch(/found 0 companies.*has 1,000\. The drop exceeds 10 %/);
    expect(heldBackBy(gate(), reached(899, 899))).toMatch(/held back/i);
    expect(heldBackBy(gate(), reached(900, 900))).toBeNull();
    expect(heldBackBy(gate({ maxDrop: 1 }), reached(0, 0))).toBeNull();
  });

  it('compares minCoverage with the largest possible share if the share is unknown', () => {
    const unknown = (found: number) => ({ ...reached(found, 1_000), share: null });
    expect(heldBackBy(gate({ minCoverage: 0.98 }), unknown(979))).toMatch(/979 of 1,000 companies \(97\.9 %\)/);
    expect(heldBackBy(gate({ minCoverage: 0.98 }), unknown(980))).toBeNull();
    expect(heldBackBy(gate(), unknown(950))).toBeNull();
  });

  it('holds back no night if the nights cannot be compared', () => {
    const current = { date: '2026-11-19', companies: 1_000, comparable: false };
    expect(heldBackBy(gate({ current }), reached(10, 10))).toBeNull();
    expect(heldBackBy(gate({ current: { ...current, companies: 99, comparable: true } }), reached(1, 1))).toBeNull();
    expect(heldBackBy(gate({ current: null }), reached(1, 2))).toBeNull();
    expect(heldBackBy(null, reached(1, 2))).toBeNull();
  });
});

describe('isIncomplete', () => {
  it('reports a market incomplete if more is missing than moved', () => {
    expect(isIncomplete(reached(1_000, 2_000))).toBe(true);
    expect(isIncomplete(reached(2_000, 2_000))).toBe(false);
    expect(isIncomplete({ ...reached(99_999, 100_000), moved: 1 })).toBe(false);
    expect(isIncomplete({ ...reached(99_998, 100_000), moved: 1 })).toBe(true);
    expect(isIncomplete(null)).toBe(false);
  });

  it('reports a market incomplete if too many companies moved', () => {
    expect(isIncomplete({ ...reached(99_000, 100_000), moved: 1_000 })).toBe(true);
  });
});
