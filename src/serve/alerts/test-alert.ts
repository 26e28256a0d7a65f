import type { Alert } from '../../../schemas/pipeline/alert.js';
import { dayIn } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';

const TEST_ID = 'test/';

/** Makes the alert that `tidemark notify test` sends. Each call makes another id, so that no target ignores it. */
export function testAlert({ markets }: Pick<Config, 'markets'>, now: Date): Alert {
  return {
    id: `${TEST_ID}${now.toISOString()}`,
    cause: 'warning',
    market: markets[0]?.name ?? null,
    date: dayIn('UTC', now),
    title: 'Test message from Tidemark',
    facts: ['Someone ran `tidemark notify test`. Alerts about nights look like this message.'],
    todo: 'Nothing: this is a test.',
    workflowId: null,
    run: null,
    at: now.toISOString(),
  };
}

/** Whether an alert is a test message. */
export function isTest({ id }: Pick<Alert, 'id'>): boolean {
  return id.startsWith(TEST_ID);
}
