import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../src/cli/terminal/ports.js';
import { scrape, valueOf, type Family } from '../helpers/open-metrics.js';
import { ROOT, startProcess, type RunningProcess } from '../helpers/processes.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { TARGET } from '../helpers/target.js';

const COMPANIES = 300;
const SECRET = 'a-secret-of-the-callback';
const TODAY = new Date().toISOString().slice(0, 10);

describe('metrics of a worker', () => {
  let system: System;
  let receiver: RunningProcess;
  let dailyMetric = '';

  const urlIn = (output: string): string => /metrics at (http\S+)/i.exec(output)?.[1] ?? '';
  const receiverUrl = (): string => /http:\/\/127\.0\.0\.1:\d+(?=\/events)/.exec(receiver.output())?.[0] ?? '';
  const worker = (): Promise<Map<string, Family>> => scrape(urlIn(system.worker.output()));
  const last = { workflow_type: 'marketSnapshot', market: 'demo' };
  const outcomeOf = (now: Map<string, Family>): string[] =>
    ['complete', 'partial', 'failed'].filter(
      (outcome) => valueOf(now, 'tidemark_run_outcome', { ...last, outcome }) === 1,
    );
  /** Waits until Temporal lists the end of the last run, which takes about a second. */
  const untilOutcome = async (outcome: string): Promise<Map<string, Family>> => {
    let now = await worker();
    await waitUntil(`outcome ${outcome}`, async () => outcomeOf((now = await worker())).includes(outcome));
    return now;
  };

  beforeAll(async () => {
    system = await startSystem({
      market: { companies: COMPANIES, tenders: 1, dailyLimit: 100_000 },
      config: {
        metrics: { port: 0 },
        markets: [{ name: 'demo', streams: ['companies'], minCoverage: '95%' }],
        quota: { probeEvery: '1s' },
      },
    });
    receiver = await startProcess(
      ['bin/tidemark.mjs', 'watch', 'listen', '--port', String(await freePort(4_929)), '--metrics-port', '0'],
      {
        env: { ...system.project.env, TIDEMARK_WEBHOOK_SECRET: SECRET },
        ready: /Listening/,
      },
    );
  });

  afterAll(async () => {
    await receiver?.stop();
    await system?.stop();
  });

  it('shows no night, no run and no request before the first run', async () => {
    const now = await worker();
    expect(valueOf(now, 'tidemark_quota_gate_waiting_runs')).toBe(0);
    expect(valueOf(now, 'tidemark_api_requests_in_flight')).toBe(0);
    for (const name of ['tidemark_night_age_seconds', 'tidemark_run_outcome', 'tidemark_api_requests_total'])
      expect(valueOf(now, name), name).toBeUndefined();
  });

  it('equals the requests, coverage, quota and landed bytes of a partial night', async () => {
    await system.api.addToTotals(40);
    await system.api.answer({ route: '/v2/companies/', status: 503, times: 3 });
    await system.run('marketSnapshot', `snapshot/demo/${TODAY}`, { market: 'demo' });
    const now = await untilOutcome('partial');
    expect(valueOf(now, 'tidemark_api_requests_total')).toBe(await system.api.requests());
    expect(valueOf(now, 'tidemark_api_requests_total', { endpoint: 'GET /v2/companies/{id}' })).toBe(
      await system.api.requests('GET /v2/companies/{id}'),
    );
    expect(valueOf(now, 'tidemark_api_requests_total', { status_class: '5xx' })).toBe(3);
    const [logged] = await system.project.query(
      'SELECT sum(errors)::INTEGER AS errors, sum(retries)::INTEGER AS retries FROM ops.requests',
    );
    expect(logged?.['errors']).toBeGreaterThanOrEqual(3);
    expect(valueOf(now, 'tidemark_api_errors_total')).toBe(logged?.['errors']);
    expect(valueOf(now, 'tidemark_api_retries_total')).toBe(logged?.['retries']);
    expect(valueOf(now, 'tidemark_run_held_back', last)).toBe(1);
    expect(valueOf(now, 'tidemark_coverage_ratio', { market: 'demo' })).toBeCloseTo(300 / 340, 4);
    expect(valueOf(now, 'tidemark_coverage_missing_companies', { market: 'demo' })).toBe(40);
    expect(valueOf(now, 'tidemark_night_age_seconds')).toBeUndefined();
    expect(valueOf(now, 'tidemark_landing_written_bytes_total')).toBe(landedBytes(system.project.landing));
    const [reading] = await system.project.query(
      "SELECT metric, used::INTEGER AS used, total::INTEGER AS total FROM ops.quota WHERE metric ILIKE '%daily%' ORDER BY read_at DESC",
    );
    dailyMetric = reading?.['metric'] as string;
    const quota = { key: 'environment', metric: dailyMetric };
    expect(valueOf(now, 'tidemark_quota_limit', quota)).toBe(reading?.['total']);
    expect(valueOf(now, 'tidemark_quota_left', quota)).toBe(100_000 - (reading?.['used'] as number));
    expect(await (await fetch(urlIn(system.worker.output()))).text()).not.toContain(system.api.key);
  });

  it('shows the age of a night and the end of its publication', async () => {
    await system.api.clearFaults();
    const began = Date.now();
    await system.run('marketSnapshot', `snapshot/demo/${TODAY}`, { market: 'demo' });
    const now = await untilOutcome('complete');
    const since = (Date.now() - began) / 1_000;
    expect(valueOf(now, 'tidemark_night_age_seconds', { market: 'demo' })).toBeLessThan(since);
    expect(valueOf(now, 'tidemark_coverage_ratio', { market: 'demo' })).toBe(1);
    expect(valueOf(now, 'tidemark_publish_duration_seconds')).toBeLessThan(since);
    expect(valueOf(now, 'tidemark_run_duration_seconds', last)).toBeLessThan(since);
    const [receipt] = await system.project.query('SELECT epoch(built_at) AS at FROM meta.receipt');
    expect(valueOf(now, 'tidemark_published_timestamp_seconds')).toBeCloseTo(receipt?.['at'] as number, 2);
  });

  it('shows a failed run and, after a restart, the same values without a request', async () => {
    const before = await worker();
    await expect(
      system.run('marketSnapshot', 'snapshot/demo/2999-01-01', { market: 'demo', date: '2999-01-01' }),
    ).rejects.toThrow('Workflow execution failed');
    await untilOutcome('failed');
    const requests = await system.api.requests();
    await system.worker.stop();
    await system.startWorker();
    const now = await worker();
    expect(outcomeOf(now)).toEqual(['failed']);
    for (const name of ['coverage_ratio', 'published_timestamp_seconds', 'quota_left', 'quota_read_timestamp_seconds'])
      expect(valueOf(now, `tidemark_${name}`), name).toBe(valueOf(before, `tidemark_${name}`));
    const age = valueOf(now, 'tidemark_night_age_seconds') ?? 0;
    expect(age).toBeGreaterThan(valueOf(before, 'tidemark_night_age_seconds') ?? Infinity);
    expect(await system.api.requests()).toBe(requests);
  });

  it('shows a run that waits for the daily quota', async () => {
    await system.api.setQuota({ dailyLimit: 10, used: 10 });
    const run = await system.start('tenderSnapshot', `tenders/${TODAY}`);
    await waitUntil('a waiting run', async () => valueOf(await worker(), 'tidemark_quota_gate_waiting_runs') === 1);
    expect(valueOf(await worker(), 'tidemark_quota_left', { metric: dailyMetric })).toBe(0);
    await system.api.setQuota({ dailyLimit: 100_000, used: 0 });
    await run.result();
    await waitUntil('no waiting run', async () => valueOf(await worker(), 'tidemark_quota_gate_waiting_runs') === 0);
  });

  it('counts received and refused deliveries of the receiver', async () => {
    const deliver = (body: string, signature: string) =>
      fetch(`${receiverUrl()}/events`, { method: 'POST', body, headers: { 'x-svc-signature': signature } });
    const body = '{"company_data": {"id": 1}}';
    await deliver(body, createHmac('sha256', SECRET).update(body).digest('hex'));
    await deliver(body, 'wrong');
    await fetch(`${receiverUrl()}/healthz`);
    const now = await scrape(urlIn(receiver.output()));
    expect(valueOf(now, 'tidemark_webhook_deliveries_received_total')).toBe(1);
    expect(valueOf(now, 'tidemark_webhook_deliveries_refused_total')).toBe(1);
    expect(valueOf(now, 'tidemark_webhook_deliveries_refused_total', { status: '401' })).toBe(1);
  });

  it('offers every metric that dashboard and alert rules name', async () => {
    const all = [await worker(), await scrape(urlIn(receiver.output()))].flatMap((families) => [...families]);
    const offered = new Set(
      all.flatMap(([name, { type, samples }]) => [
        ...(type === 'counter' ? [`${name}_total`] : []),
        ...(type === 'gauge' ? [name] : []),
        ...samples.map((sample) => sample.name),
      ]),
    );
    const named = [...dashboardExpressions(), ...alertExpressions()].flatMap(metricsIn);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !offered.has(name))).toEqual([]);
  });

  it.skipIf(TARGET === 'stub')('counts the requests that the sandbox answered', async () => {
    const now = await scrape(`${system.api.url}/metrics`);
    expect(valueOf(now, 'tidemark_sandbox_requests_total')).toBe(await system.api.requests());
    expect(valueOf(now, 'tidemark_sandbox_answers_total', { status: '503' })).toBe(3);
  });
});

function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync(path.join(ROOT, 'deploy/grafana/tidemark.json'), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

function alertExpressions(): string[] {
  const { groups } = parse(readFileSync(path.join(ROOT, 'deploy/prometheus/alerts.yaml'), 'utf8')) as {
    groups: { rules: { expr: string }[] }[];
  };
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
}

/** Metrics that an expression of Prometheus names, without `up`, which Prometheus itself makes. */
function metricsIn(expression: string): string[] {
  return expression.match(/\b(?:tidemark|temporal|process|nodejs)_[a-z0-9_]+/g) ?? [];
}

function landedBytes(landing: string): number {
  const files = readdirSync(landing, { recursive: true, encoding: 'utf8' });
  const manifests = files.filter((file) => /_manifest\/part-.*\.json$/.test(file));
  const read = (file: string) => JSON.parse(readFileSync(path.join(landing, file), 'utf8')) as { bytes: number };
  return manifests.reduce((sum, file) => sum + read(file).bytes, 0);
}
