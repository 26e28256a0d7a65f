import { readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Alert } from '../../../schemas/pipeline/alert.js';
import { alertsDir } from '../../store/data-folder.js';
import { hasErrorCode } from '../../base/errors.js';
import { writeFileAtomic } from '../../store/files.js';
import { keyOf } from './message.js';
import type { Data } from '../../store/data.js';

/**
 * The attempts to send one alert to one target. Temporal deletes the workflow of an alert after some time. The record
 * stays in the data folder, so the alert is not sent again even then.
 *
 * States: sending → sent; sending → failed → sending. A worker that is killed leaves `sending`.
 */
export interface DeliveryRecord {
  id: string;
  title: string;
  target: string;
  state: 'sending' | 'sent' | 'failed';
  /** Attempts so far. */
  attempts: number;
  /** When the first attempt began, ISO. */
  since: string;
  /** When the record was written, ISO. */
  at: string;
  /** Why the last attempt failed, or what the target accepted only in part; null when neither happened. */
  error: string | null;
  /** True if the target may have accepted the message of an earlier attempt. */
  mayHaveArrived: boolean;
}

/** Reads the record of sending an alert to a target; null when no attempt was made. */
export async function readDelivery(
  data: Data,
  alert: Pick<Alert, 'id' | 'date'>,
  target: string,
): Promise<DeliveryRecord | null> {
  const file = alertFile(data.dataDir, alert.date, keyOf(alert, target));
  await data.refresh(file);
  return readRecord(file);
}

/** Stores the record of sending an alert to a target. */
export async function writeDelivery(data: Data, date: string, record: DeliveryRecord): Promise<void> {
  const file = alertFile(data.dataDir, date, keyOf(record, record.target));
  await writeFileAtomic(file, `${JSON.stringify(record)}\n`);
  await data.give(file);
}

/**
 * Lists the records of alerts that a target has not accepted, oldest first.
 * @param from first night, YYYY-MM-DD
 */
export function openDeliveries(dataDir: string, from: string): DeliveryRecord[] {
  return namesIn(alertsDir(dataDir))
    .filter((date) => date >= from)
    .flatMap((date) => {
      const folder = path.join(alertsDir(dataDir), date);
      return namesIn(folder)
        .filter((name) => /^[0-9a-f]+\.json$/.test(name))
        .map((name) => readRecord(path.join(folder, name)));
    })
    .filter((record): record is DeliveryRecord => record !== null && record.state !== 'sent')
    .toSorted((a, b) => a.since.localeCompare(b.since));
}

/**
 * Removes the records that were last written before a time, and folders without a record. Until then, a record keeps a
 * repeated night from sending its alert again. Never throws: a record that stays does no harm.
 */
export function pruneDeliveries(dataDir: string, before: Date): void {
  const isOld = (file: string): boolean => statSync(file).mtimeMs < before.getTime();
  for (const date of namesIn(alertsDir(dataDir))) {
    const folder = path.join(alertsDir(dataDir), date);
    try {
      // Look at the folder first: removing a file makes it new.
      const isUnused = isOld(folder);
      const files = namesIn(folder).map((name) => path.join(folder, name));
      for (const file of files.filter(isOld)) rmSync(file, { force: true });
      if (isUnused && namesIn(folder).length === 0) rmdirSync(folder);
    } catch {
      // Another worker has removed the folder, or is writing a record into it.
    }
  }
}

function alertFile(dataDir: string, date: string, key: string): string {
  return path.join(alertsDir(dataDir), date, `${key}.json`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

function readRecord(file: string): DeliveryRecord | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DeliveryRecord;
  } catch (error) {
    // An incomplete file says nothing about earlier attempts.
    if (hasErrorCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
    throw error;
  }
}
