import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import type { Data } from '../../../store/data.js';
import { asDiskError } from '../../../store/disk-errors.js';
import { makeFolder, syncFolder } from '../../../store/files.js';

/*
 * Records each check of a chunk before it is sent to the API. A check costs money, and sending it twice costs twice. If
 * a worker is killed after the request and before the answer is landed, the next attempt sends the check again. A file
 * counts these calls. A line is `<fingerprint> sent`, or `<fingerprint> unsent` if the API certainly ran no check.
 */

/**
 * Records that a check will be sent now, for all machines.
 * @returns how many calls for this check may have reached the API, including this one
 */
export async function recordSending(data: Data, file: string, fingerprint: string): Promise<number> {
  await record(data, file, `${fingerprint} sent`);
  const lines = readFileSync(file, 'utf8').split('\n');
  const count = (word: string): number => lines.filter((line) => line === `${fingerprint} ${word}`).length;
  return Math.max(1, count('sent') - count('unsent'));
}

/** Records that the API ran no check for the last call. */
export async function recordUnsent(data: Data, file: string, fingerprint: string): Promise<void> {
  await record(data, file, `${fingerprint} unsent`);
}

/** The last line of each file that is being written. */
const writing = new Map<string, Promise<void>>();

/** Writes one line at a time, because `refresh` replaces the file. */
async function record(data: Data, file: string, line: string): Promise<void> {
  const before = writing.get(file) ?? Promise.resolve();
  const work = before.catch(() => undefined).then(() => appendFor(data, file, line));
  writing.set(file, work);
  await work;
}

async function appendFor(data: Data, file: string, line: string): Promise<void> {
  const isNew = !(await data.refresh(file));
  try {
    if (isNew) await makeFolder(path.dirname(file));
    await appendFile(file, `${line}\n`, { mode: 0o600, flush: true });
    if (isNew) await syncFolder(path.dirname(file));
  } catch (error) {
    throw asDiskError(error, file);
  }
  await data.give(file);
}
