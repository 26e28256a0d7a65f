import { z } from 'zod';
import { Cause } from './cause.js';
import { IsoDate, type DataFolder } from './run.js';

/*
 * Alerts: messages to an operator about a night. The workflow `notify` delivers each alert to the targets of `notify:`
 * in tidemark.yaml.
 */

const Sentence = z.string().max(2_000);

/** One alert, without personal data. The sentences are for people. */
export const Alert = z.looseObject({
  /**
   * Identifies the night and the cause, for example `snapshot/demo/2026-11-20/failed/Unauthorized`. A repeated run of the
   * same night gives the same id, so that the alert is sent only once.
   */
  id: z.string().min(1).max(500),
  cause: Cause,
  market: z.string().nullable(),
  /** Logical date of the night. */
  date: IsoDate,
  /** One line, such as `Market demo, night of 2026-11-20: the run failed`. */
  title: Sentence,
  /** Facts with figures, one sentence or a few each. */
  facts: z.array(Sentence).max(20),
  /** What to do next, with a command. */
  todo: Sentence,
  /** Workflow of the run; null when no run started. */
  workflowId: z.string().nullable(),
  /** Run id of the workflow's first execution; null when no run started. */
  run: z.string().nullable(),
  /** When the cause was found, ISO. */
  at: z.iso.datetime(),
  /** Data folder of the run; left out when it is unknown. */
  folder: z.custom<DataFolder>((value) => typeof value === 'object' && value !== null).optional(),
});
export type Alert = z.infer<typeof Alert>;

/** Input of `sendAlert`. */
export interface SendAlertInput {
  alert: Alert;
  /** Name of the target. */
  target: string;
}

/**
 * Result of `sendAlert`.
 * - `sent`: the target accepted the message.
 * - `sent before`: a record says that the target accepted the message earlier; nothing was sent.
 * - `not declared`: the configuration no longer has the target.
 */
export interface SendAlertResult {
  outcome: 'sent' | 'sent before' | 'not declared';
}

/** Result of the workflow `notify`: how each target got the message. */
export interface NotifyResult {
  targets: Record<string, SendAlertResult['outcome']>;
}
