import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlertSystem, type AlertSystem } from '../helpers/alert-system.js';
import { scrape, valueOf, type Family } from '../helpers/open-metrics.js';
import { waitUntil } from '../helpers/sandbox.js';

const TODAY = new Date().toISOString().slice(0, 10);
const ALERTED = ['failed', 'partial'] as const;
const NIGHTS = [...ALERTED, 'waiting'] as const;
const idOf = (market: string): string => `snapshot/${market}/${TODAY}`;

interface Status {
  running: { workflowId: string; progress: { phase: string } | null }[];
  ended: { workflowId: string; outcome: string; error: string | null }[];
  alerts: { id: string; target: string; state: string }[];
  published: { lastRuns: { market: string; outcome: string }[] } | null;
}

// Real servers: Temporal, API, HTTP and SMTP. The market of each night has the name of its state.
describe('a failed, a partial and a waiting night', () => {
  let system: AlertSystem;
  /** Output of `tidemark status` when the first night had failed and nothing was published. */
  let afterFailure: string;

  const startNight = (market: string) => system.start('marketSnapshot', idOf(market), { market });
  /** Workflow ids that the list of the Temporal UI shows for a query, sorted. */
  const listed = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { workflowId } of system.temporal.client.workflow.list({ query })) ids.push(workflowId);
    return ids.toSorted();
  };
  /** Waits until the list of workflows has caught up, which takes about a second. */
  const untilListed = (query: string, ids: string[]) =>
    waitUntil(`${query} lists ${ids.join(', ')}`, async () => (await listed(query)).join() === ids.join());
  const metrics = async (): Promise<Map<string, Family>> =>
    scrape(/metrics at (http\S+)/i.exec(system.worker.output())?.[1] ?? '');
  const status = async (): Promise<Status> => JSON.parse((await system.tidemark('status', '--json')).stdout) as Status;

  beforeAll(async () => {
    system = await startAlertSystem({
      metrics: { port: 0 },
      markets: NIGHTS.map((name) => ({ name, streams: ['companies'] })),
    });
    // Both targets receive the messages, but do not accept them yet.
    system.webhook.hold();
    system.mail.hold();
    await system.api.allow('company_details');
    await (await startNight('failed')).result().catch(() => undefined);
    await untilListed("ExecutionStatus = 'Failed'", [idOf('failed')]);
    afterFailure = (await system.tidemark('status')).stdout;
    await system.api.allow('prospecting', 'company_details', 'financials', 'tenders', 'watching');
    await system.api.addToTotals(40);
    await (await startNight('partial')).result();
    await system.api.clearFaults();
    await system.api.setQuota({ dailyLimit: 1 });
    await startNight('waiting');
    await untilListed("TidemarkPhase = 'waiting-for-quota'", [idOf('waiting')]);
    for (const night of ALERTED) await system.arrived(night);
  });

  afterAll(async () => {
    await system?.stop();
  });

  it('arrives once at a webhook and a mail server whose worker is killed while sending', async () => {
    await system.worker.stop('SIGKILL');
    await waitUntil('no client waits', async () => system.webhook.held() + system.mail.held() === 0);
    system.webhook.release();
    system.mail.release();
    expect(ALERTED.map((night) => system.counts(night))).toEqual(ALERTED.map(() => [0, 0]));
    expect((await status()).alerts).toHaveLength(2 * ALERTED.length);
    await system.startAlertWorker();
    for (const night of ALERTED) await system.delivered(night);
    await system.settled();
    expect(ALERTED.map((night) => system.counts(night))).toEqual(ALERTED.map(() => [1, 1]));
    expect(ALERTED.map((night) => system.bodies(night)[0]?.id)).toEqual([
      `${idOf('failed')}/failed/PermissionDenied`,
      `${idOf('partial')}/partial`,
    ]);
    for (const night of ALERTED) {
      // Each attempt has the same key, by which a target recognises a repeated message.
      expect(new Set(system.bodies(night, 'arrived').map(({ key }) => key)).size).toBe(1);
      expect(new Set(system.mails(night, 'arrived').map(({ key }) => key)).size).toBe(1);
    }
    expect((await status()).alerts).toEqual([]);
  });

  it('has its state in the list of the Temporal UI', async () => {
    await untilListed("TidemarkOutcome = 'failed'", [idOf('failed')]);
    await untilListed("TidemarkOutcome = 'partial'", [idOf('partial')]);
    await untilListed("TidemarkPhase = 'waiting-for-quota' AND ExecutionStatus = 'Running'", [idOf('waiting')]);
    // The view that docs/operations.md recommends.
    const bad =
      "TidemarkOutcome IN ('partial', 'failed', 'stopped', 'cancelled') OR TidemarkPhase = 'waiting-for-quota'";
    expect(await listed(bad)).toEqual([idOf('failed'), idOf('partial'), idOf('waiting')]);
    expect(await listed('TidemarkCoverage < 0.99')).toEqual([idOf('partial')]);
  });

  it('has its state in the metrics', async () => {
    const run = { workflow_type: 'marketSnapshot' };
    await waitUntil('the waiting run is in the metrics', async () => {
      const waits = { ...run, market: 'waiting', phase: 'waiting-for-quota' };
      const now = await metrics();
      return valueOf(now, 'tidemark_runs_open', waits) === 1 && valueOf(now, 'tidemark_quota_gate_waiting_runs') === 1;
    });
    const now = await metrics();
    expect(valueOf(now, 'tidemark_runs_open')).toBe(1);
    for (const outcome of ['failed', 'partial'])
      expect(valueOf(now, 'tidemark_run_outcome', { ...run, market: outcome, outcome }), outcome).toBe(1);
    expect(valueOf(now, 'tidemark_run_outcome', { ...run, market: 'waiting' })).toBeUndefined();
  });

  it('has its state in tidemark status', async () => {
    const cause = '\\n +! prospecting: .*Ask the issuer of the API key';
    expect(afterFailure).toMatch(new RegExp(`Ended +${idOf('failed')}: failed .*ago${cause}`));
    const { stdout } = await system.tidemark('status');
    expect(stdout).toMatch(new RegExp(`marketSnapshot failed ${TODAY}: failed, .*${cause}`));
    expect(stdout).toMatch(new RegExp(`marketSnapshot partial ${TODAY}: partial, 120 of 160 companies`));
    expect(stdout).toMatch(
      new RegExp(`Running +${idOf('waiting')}, started .*\\n +waiting for quota .*\\n +! The daily quota`),
    );
    const { running, ended, published } = await status();
    expect(running).toMatchObject([{ workflowId: idOf('waiting'), progress: { phase: 'waiting-for-quota' } }]);
    expect(Object.fromEntries(ended.map(({ workflowId, outcome }) => [workflowId, outcome]))).toEqual({
      [idOf('failed')]: 'failed',
      [idOf('partial')]: 'partial',
    });
    expect(ended.find(({ outcome }) => outcome === 'failed')?.error).toContain('prospecting');
    expect(published?.lastRuns).toMatchObject([
      { market: 'partial', outcome: 'partial' },
      { market: 'failed', outcome: 'failed' },
    ]);
  });

  it('no longer waits when the quota is open, and repeats no alert', async () => {
    const run = system.temporal.client.workflow.getHandle(idOf('waiting'));
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    expect(await run.result()).toMatchObject({ outcome: 'complete' });
    await untilListed("TidemarkPhase = 'waiting-for-quota'", []);
    await untilListed("TidemarkOutcome = 'complete'", [idOf('waiting')]);
    await waitUntil('no run is open', async () => valueOf(await metrics(), 'tidemark_runs_open') === undefined);
    expect((await system.tidemark('status')).stdout).toContain('Running    nothing');
    await system.settled();
    expect(system.counts('waiting')).toEqual([0, 0]);
  });
});
