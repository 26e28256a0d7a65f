import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { startCollector, type Collector, type ReceivedSpan } from '../helpers/otlp-collector.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

let collector: Collector;
let system: System;
/** Environment of a worker or command that sends spans. */
let traced: Record<string, string>;

beforeAll(async () => {
  collector = await startCollector();
  system = await startSystem({ market: { companies: 30, tenders: 5, seed: 4 }, worker: null });
  traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
});

afterAll(async () => {
  await system?.stop();
  await collector?.stop();
});

const find = (traceId: string, name: RegExp | string): ReceivedSpan[] =>
  collector.spans.filter(
    (span) => span.traceId === traceId && (typeof name === 'string' ? span.name === name : name.test(span.name)),
  );

it('traces a run from the command to the requests, without values', async () => {
  await system.startWorker(traced);
  const { code, stderr } = await system.tidemarkWith({ ...traced, OTEL_SERVICE_NAME: 'terminal' }, 'snapshot');
  expect(code, stderr).toBe(0);
  await system.worker.stop();
  const [start, ...others] = collector.spans.filter(({ name }) => name === 'StartWorkflow:marketSnapshot');
  expect(others).toEqual([]);
  expect(start).toMatchObject({ service: 'terminal', parentSpanId: '' });
  const { traceId = '', spanId } = start ?? {};
  const [run] = find(traceId, 'RunWorkflow:marketSnapshot');
  expect(run).toMatchObject({ service: 'tidemark-worker', parentSpanId: spanId, status: 1 });
  expect(run?.attributes['temporalWorkflowId']).toMatch(/^snapshot\/demo\//);
  const activities = find(traceId, /^RunActivity:/);
  expect(new Set(activities.map(({ name }) => name))).toContain('RunActivity:crawlChunk');
  expect(new Set(activities.map(({ name }) => name))).toContain('RunActivity:publishWarehouse');
  for (const activity of activities) {
    expect(activity.parentSpanId).toBe(run?.spanId);
    expect(Number(run?.endedAt)).toBeGreaterThanOrEqual(Number(activity.endedAt) - 1_000);
  }
  const requests = find(traceId, /^(GET|POST) /);
  const parents = new Set(activities.map((activity) => activity.spanId));
  for (const request of requests) expect(parents).toContain(request.parentSpanId);
  const company = requests.filter(({ name }) => name === 'GET /v2/companies/{id}');
  expect(company.length).toBeGreaterThanOrEqual(30);
  expect(company[0]?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.template': '/v2/companies/{id}',
    'http.response.status_code': 200,
    'http.response.body.size': expect.any(Number) as number,
    'tidemark.retry': false,
  });
  expect(collector.text()).not.toContain(system.api.key);
  expect(collector.text()).not.toContain('per_page');
});

it('traces the signals and updates of commands', async () => {
  await system.startWorker(traced);
  const run = await system.start('tenderSnapshot', 'tenders/steered');
  await run.signal('pause');
  await waitUntil('the run is paused', async () => (await run.query<Progress>('progress')).phase === 'paused');
  for (const command of ['pause', 'concurrency 2', 'resume']) {
    const { code, stderr } = await system.tidemarkWith(traced, ...command.split(' '));
    expect(code, stderr).toBe(0);
  }
  await run.result();
  await system.worker.stop();
  const steering = collector.spans.filter(({ attributes }) => attributes['temporalWorkflowId'] === run.workflowId);
  const ofCommands = steering.filter(({ service }) => service === 'tidemark');
  expect(ofCommands.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['SignalWorkflow:pause', ''],
    ['StartWorkflowUpdate:setConcurrency', ''],
    ['SignalWorkflow:resume', ''],
  ]);
});

it('traces the runs that the demo starts', async () => {
  const file = path.join(system.project.dir, 'demo.yaml');
  const settings = { api: { baseUrl: system.api.url }, data: './demo', markets: [{ name: 'shown' }], tenders: {} };
  writeFileSync(file, stringify(settings));
  const size = ['--companies', '20', '--tenders', '2'];
  const { code, stderr } = await system.tidemarkWith({ ...traced, TIDEMARK_CONFIG: file }, 'demo', '--once', ...size);
  expect(code, stderr).toBe(0);
  const started = collector.spans.filter(
    ({ name, attributes }) =>
      name.startsWith('StartWorkflow:') &&
      /^(snapshot\/shown|tenders)\/\d/.test(String(attributes['temporalWorkflowId'])),
  );
  expect(started.map(({ name }) => name)).toEqual(['StartWorkflow:tenderSnapshot', 'StartWorkflow:marketSnapshot']);
  for (const { traceId, spanId } of started)
    expect(find(traceId, /^RunWorkflow:/)).toMatchObject([{ parentSpanId: spanId, status: 1 }]);
});

it('starts a trace for a run that no traced client started', async () => {
  await system.startWorker(traced);
  const run = await system.start('tenderSnapshot', 'tenders/untraced-start');
  await run.result();
  await system.worker.stop();
  const { runId } = await run.describe();
  const traceId = runId.replaceAll('-', '');
  expect(find(traceId, 'RunWorkflow:tenderSnapshot')).toMatchObject([{ parentSpanId: '', status: 1 }]);
  expect(find(traceId, /^RunActivity:/).length).toBeGreaterThan(2);
});

it('continues a run when tracing is switched on or off in the middle of it, on the same version', async () => {
  for (const [id, before, after] of [
    ['tenders/switched-on', {}, traced],
    ['tenders/switched-off', traced, {}],
  ] as const) {
    await system.startWorker(before);
    const run = await system.start('tenderSnapshot', id);
    await run.signal('pause');
    await waitUntil('the run is paused', async () => (await run.query<Progress>('progress')).phase === 'paused');
    await system.worker.stop();
    await system.startWorker(after);
    await run.signal('resume');
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
    await system.worker.stop();
    expect(await failedTasksOf(run)).toEqual([]);
  }
  const { stdout } = await system.tidemark('workers', '--json');
  expect((JSON.parse(stdout) as { versions: unknown[] }).versions).toHaveLength(1);
});

it('works without spans if the collector is unreachable, and says so once', async () => {
  const worker = await system.startWorker({ ...traced, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  const result = await system.run('tenderSnapshot', 'tenders/unreachable');
  expect(result.outcome).toBe('complete');
  await worker.stop();
  expect(worker.output().match(/Spans cannot be sent: [^"]*127\.0\.0\.1:9/g)).toHaveLength(1);
});

/** Failures of workflow tasks: a history that does not replay shows here. */
async function failedTasksOf(run: WorkflowHandle): Promise<unknown[]> {
  const { events } = await run.fetchHistory();
  return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
}
