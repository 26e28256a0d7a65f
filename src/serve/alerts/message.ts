import { createHash } from 'node:crypto';
import type { Alert } from '../../../schemas/pipeline/alert.js';

/** An alert as a target gets it. */
export interface Message {
  alert: Alert;
  /** Stays the same when a message is sent again, so that a target can ignore the second one. */
  key: string;
  /** Page of the run in the Temporal UI; null when no run started or the address of the UI is unknown. */
  link: string | null;
  /** Whether an earlier attempt may have reached the target: its worker was killed, or it got no answer. */
  mayRepeat: boolean;
}

/** Returns the idempotency key of an alert at a target: 32 hex digits. */
export function keyOf(alert: Pick<Alert, 'id'>, target: string): string {
  return createHash('sha256').update(`${alert.id}\n${target}`).digest('hex').slice(0, 32);
}

/** Returns the lines after the title: facts, what to do, and where the run is. */
export function bodyLines({ alert, link }: Pick<Message, 'alert' | 'link'>): string[] {
  const { facts, todo, workflowId } = alert;
  const run = link ?? (workflowId === null ? null : `workflow ${workflowId}`);
  return [...facts, `What to do: ${todo}`, ...(run === null ? [] : [`Run: ${run}`])];
}

/** Renders a message as plain text, title first. */
export function renderText(message: Pick<Message, 'alert' | 'link'>): string {
  return [message.alert.title, '', ...bodyLines(message), '', `Alert ${message.alert.id}`].join('\n');
}
