import type { Logger } from 'pino';
import type { SendAlertInput, SendAlertResult } from '../../../schemas/pipeline/alert.js';
import type { Config } from '../../config/config.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { keyOf } from './message.js';
import { pruneDeliveries, readDelivery, writeDelivery, type DeliveryRecord } from './records.js';
import { TargetError } from './target-error.js';
import { openTarget } from './targets.js';
import { DAY_MS } from '../../base/time/time.js';
import type { Data } from '../../store/data.js';

// Temporal tries for 7 days to deliver an alert. `tidemark status` shows open deliveries of the last 30 days.
const KEPT_MS = 90 * DAY_MS;

/** What a delivery needs. */
export interface DeliverDeps {
  config: Config;
  data: Data;
  log: Logger;
  /** Returns the page of a run in the Temporal UI; null when the UI is unknown. */
  linkTo: (workflowId: string, run: string) => string | null;
}

/**
 * Sends an alert to one target, unless a record says that the target accepted it before. Stores each attempt before it
 * begins and right after it ends.
 *
 * If a worker is killed or gets no answer after it sent the message, the target may have accepted the message. The next
 * attempt then sends it again, with the same idempotency key.
 * @throws TargetError when the target did not accept the message, or its settings are incomplete
 */
export async function deliver(deps: DeliverDeps, { alert, target: name }: SendAlertInput): Promise<SendAlertResult> {
  const { config, data, log, linkTo } = deps;
  const declared = config.notify.find((one) => one.name === name);
  if (declared === undefined) return { outcome: 'not declared' };
  const before = await readDelivery(data, alert, name);
  if (before?.state === 'sent') return { outcome: 'sent before' };
  const now = (): string => new Date().toISOString();
  const mayRepeat = before?.state === 'sending' || before?.mayHaveArrived === true;
  const record: DeliveryRecord = {
    id: alert.id,
    title: alert.title,
    target: name,
    state: 'sending',
    attempts: (before?.attempts ?? 0) + 1,
    since: before?.since ?? now(),
    at: now(),
    error: null,
    mayHaveArrived: mayRepeat,
  };
  const link = alert.workflowId === null || alert.run === null ? null : linkTo(alert.workflowId, alert.run);
  const message = { alert, key: keyOf(alert, name), link, mayRepeat };
  try {
    const target = openTarget(declared, config);
    await writeDelivery(data, alert.date, record);
    const remark = await target.send(message);
    await writeDelivery(data, alert.date, { ...record, state: 'sent', at: now(), error: remark });
    log.info({ alert: alert.id, target: name, remark }, 'alert sent');
    pruneDeliveries(data.dataDir, new Date(Date.now() - KEPT_MS));
    return { outcome: 'sent' };
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.type === 'DiskFull') throw error;
    const mayHaveArrived = mayRepeat || (error instanceof TargetError && error.mayHaveArrived);
    const failed = { ...record, state: 'failed' as const, at: now(), error: errorMessage(error), mayHaveArrived };
    await writeDelivery(data, alert.date, failed);
    log.warn(
      { alert: alert.id, target: name, attempt: record.attempts },
      `alert not sent: ${error.message} ${error.todo}`,
    );
    // An operator may complete the settings while Temporal retries.
    throw error instanceof TargetError ? error : new TargetError(error.message, { todo: error.todo, cause: error });
  }
}
