import { describe, expect, it } from 'vitest';
import { CAUSES, type Cause } from '../../../schemas/pipeline/cause.js';
import type { RunContext, RunResult } from '../../../schemas/pipeline/run.js';
import { alertsOf, failedAlert, quotaWaitAlert, type Findings } from '../../../workflows/run/alerts.js';

const NOW = new Date('2026-11-20T03:00:00Z');

function context(more: Partial<RunContext> = {}): RunContext {
  const ctx: Partial<RunContext> = {
    run: 'r1',
    // The id of a scheduled run.
    workflowId: 'snapshot/demo/scheduled-2026-11-20T02:00:00Z',
    workflowType: 'marketSnapshot',
    date: '2026-11-20',
    market: 'demo',
    alerts: { causes: [...CAUSES] },
    ...more,
  };
  return ctx as RunContext;
}

function result(more: Partial<RunResult> = {}): RunResult {
  const complete: Partial<RunResult> = { outcome: 'complete', heldBack: null, coverage: null, rejects: 0, notes: [] };
  return { ...complete, ...more } as RunResult;
}

const NONE: Findings = {
  newDrift: [],
  overuse: null,
  warnings: { audits: [], clock: [], quota: [], parts: [], drift: [] },
};

const idsOf = (ctx: RunContext, ended: RunResult, findings = NONE) =>
  alertsOf(ctx, ended, findings, NOW).map(({ id }) => id);

describe('the alerts of a run', () => {
  it('sends nothing for a complete night, a stopped one, or without targets', () => {
    expect(idsOf(context(), result({ notes: ['a note'] }))).toEqual([]);
    expect(idsOf(context(), result({ outcome: 'stopped' }))).toEqual([]);
    const { alerts: _, ...withoutTargets } = context();
    expect(idsOf(withoutTargets, result({ outcome: 'partial' }))).toEqual([]);
  });

  it('gives a night one id, whether scheduled or started by a person', () => {
    const ended = result({ outcome: 'partial' });
    const byPerson = context({ workflowId: 'snapshot/demo/2026-11-20' });
    expect(idsOf(context(), ended)).toEqual(['snapshot/demo/2026-11-20/partial']);
    expect(idsOf(byPerson, ended)).toEqual(['snapshot/demo/2026-11-20/partial']);
    const backfill = context({ workflowType: 'backfill', workflowId: 'backfill/a..b/tenders', market: null });
    expect(idsOf(backfill, ended)).toEqual(['backfill/a..b/tenders/partial']);
  });

  it('names the missing companies, rejects and notes of a partial night', () => {
    const notes = Array.from({ length: 9 }, (_, i) => `note ${i}`);
    const coverage = { missing: 312, reportedTotal: 5_000, distinctCompanies: 4_688, share: 0.9376 };
    const [alert] = alertsOf(context(), result({ outcome: 'partial', coverage, rejects: 1_200, notes }), NONE, NOW);
    expect(alert?.facts.slice(0, 3)).toEqual([
      '312 of 5,000 companies missing; 4,688 found.',
      '1,200 values or records cannot be used (ops.rejects).',
      'note 0',
    ]);
    expect(alert?.facts.at(-1)).toBe('3 more notes: see the run.');
    expect(alert?.todo).toContain('tidemark snapshot --market demo');
  });

  it('sends a held-back night once, not also as partial', () => {
    const held = result({ outcome: 'partial', heldBack: 'Held back: too few.', notes: ['Held back: too few.'] });
    const alerts = alertsOf(context(), held, NONE, NOW);
    expect(alerts.map(({ id, facts }) => [id, facts])).toEqual([
      ['snapshot/demo/2026-11-20/held-back', ['Held back: too few.']],
    ]);
  });

  it('sends overuse, new drift and warnings of a complete night', () => {
    const findings: Findings = {
      newDrift: ['New field x (string) in 5 % of the answers of GET /v2/companies/{id}.'],
      overuse: 'The API counted 60 more.',
      warnings: { ...NONE.warnings, audits: ['Audit failed: a', 'Audit failed: b'], clock: ['The clock is off.'] },
    };
    expect(idsOf(context(), result(), findings)).toEqual([
      'snapshot/demo/2026-11-20/quota/overuse',
      'snapshot/demo/2026-11-20/drift',
      'snapshot/demo/2026-11-20/warning/audits+clock',
    ]);
  });

  it('sends only causes that a target takes', () => {
    const takes = (...causes: Cause[]) => context({ alerts: { causes } });
    expect(idsOf(takes('failed'), result({ outcome: 'partial' }))).toEqual([]);
    expect(idsOf(takes('partial'), result({ outcome: 'partial' }), { ...NONE, overuse: 'x' })).toHaveLength(1);
  });

  it('distinguishes failures of one night by their type', () => {
    const failed = (type: string) => failedAlert(context(), { type, message: `${type} happened.` }, 1_234, NOW);
    expect([failed('DiskFull').id, failed('Unauthorized').id]).toEqual([
      'snapshot/demo/2026-11-20/failed/DiskFull',
      'snapshot/demo/2026-11-20/failed/Unauthorized',
    ]);
    expect(failed('DiskFull').facts).toEqual([
      'DiskFull happened.',
      expect.stringMatching(/^1,234 requests were sent/),
    ]);
  });

  it.each<[string, Partial<RunContext>, string]>([
    ['a night', {}, '`tidemark snapshot --market demo`.'],
    [
      'a backfill',
      { workflowType: 'backfill', from: '2026-11-01', to: '2026-11-07', streams: ['tenders', 'watch_events'] },
      '`tidemark backfill --from 2026-11-01 --to 2026-11-07 --streams tenders,watch_events --market demo`.',
    ],
    [
      'a retry',
      { workflowType: 'retryRejects', market: null, streams: ['companies'] },
      '`tidemark rejects retry --streams companies`.',
    ],
    ['a run of owners', { workflowType: 'enrichOwners' }, '`tidemark owners enrich --market demo`.'],
    ['a list', { workflowType: 'resolveCompanies', market: null }, 'repeat the command that started the run.'],
  ])('says how to repeat %s', (_, more, how) => {
    const { todo } = failedAlert(context(more), { type: 'DiskFull', message: 'x' }, 0, NOW);
    expect(todo.endsWith(`Then run again: ${how}`)).toBe(true);
  });

  it('says how long a run has waited for quota, and where it is', () => {
    const progress = { steps: [{ name: 'companies', done: 500, total: 5_000, state: 'running' }], requests: 1_000 };
    const alert = quotaWaitAlert(context(), progress as unknown as Parameters<typeof quotaWaitAlert>[1], 5_400, NOW);
    expect(alert.id).toBe('snapshot/demo/2026-11-20/quota/wait');
    expect(alert.facts[0]).toMatch(/waited 1h 30m in total, and has sent 1,000 requests\. .*500 of 5,000/);
  });
});
