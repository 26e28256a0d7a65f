import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { CRAWL_QUEUE, WAREHOUSE_QUEUE } from '../../workflows/queues.js';
import { findPlace, isCertainlyGone } from '../store/lock/holder.mjs';
import { readPollers, TaskType, type Poller } from './pollers.js';

// A worker polls at least once per minute. If it has not polled for this time, treat it as ended.
const SEEN_WITHIN_MS = 90_000;
// temporal.api.enums.v1.WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED
const VERSIONED = 2;

/** Facts that a worker's identity contains in addition to process id and host. */
export interface WorkerFacts {
  /** First characters of the data folder's id. */
  folder: string;
  /** First characters of the hash of the configuration file that the worker read. */
  settings: string;
}

/** A worker that polls a queue. A program that is not Tidemark's reports no `folder` and no `settings`. */
export interface WorkerSeen extends Partial<WorkerFacts> {
  identity: string;
  /** `process@host`. */
  name: string;
}

/**
 * Makes the identity under which the server and the Temporal UI show this process. Workers in different containers may
 * have the same process id and host name. `place` tells them apart: it is a hash of the place in which the process id
 * is valid, and 8 random digits.
 */
export function workerIdentity({ folder, settings }: WorkerFacts): string {
  const place = `${markOf(findPlace())}-${randomBytes(4).toString('hex')}`;
  return `${process.pid}@${hostname()} folder=${folder} settings=${settings} place=${place}`;
}

function markOf(place: string): string {
  return place === '' ? '' : createHash('sha256').update(place).digest('hex').slice(0, 8);
}

/** Parses an identity that `workerIdentity` made. Pure function. */
export function parseIdentity(identity: string): WorkerSeen {
  const [name = '', ...facts] = identity.split(' ');
  const said = Object.fromEntries(facts.map((fact) => fact.split('=', 2)));
  const { folder, settings } = said as Partial<WorkerFacts>;
  return { identity, name, ...(folder ? { folder } : {}), ...(settings ? { settings } : {}) };
}

/**
 * Lists the workers of both queues. Leaves out processes of this machine that have ended.
 * @throws ServiceError when the server does not answer
 */
export async function seenWorkers(client: Client): Promise<WorkerSeen[]> {
  const pollers = await Promise.all([
    recentPollers(client, CRAWL_QUEUE, TaskType.activity),
    recentPollers(client, WAREHOUSE_QUEUE, TaskType.activity),
  ]);
  return [...identitiesOf(pollers.flat())].map(parseIdentity);
}

/**
 * Lists the identities of the crawl workers that polled in the last 90 s. Leaves out processes of this machine that
 * have ended.
 * @throws ServiceError when the server does not answer
 */
export async function listCrawlWorkers(client: Client): Promise<string[]> {
  return [...identitiesOf(await recentPollers(client, CRAWL_QUEUE, TaskType.activity))];
}

/**
 * Returns whether a worker polled a queue for activities in the last 90 s.
 * @throws ServiceError when the server does not answer
 */
export async function hasPolled(client: Client, queue: string, identity: string): Promise<boolean> {
  return identitiesOf(await recentPollers(client, queue, TaskType.activity)).has(identity);
}

/**
 * Lists the pollers that polled a queue in the last 90 s. Leaves out processes of this machine that have ended.
 * @throws ServiceError when the server does not answer
 */
export async function recentPollers(client: Client, queue: string, type: TaskType): Promise<Poller[]> {
  const since = Date.now() - SEEN_WITHIN_MS;
  return (await readPollers(client, queue, type)).filter(
    ({ identity, lastAccessTime }) =>
      Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since && !isDeadHere(identity ?? ''),
  );
}

function identitiesOf(pollers: readonly Poller[]): Set<string> {
  return new Set(pollers.map(({ identity }) => identity ?? ''));
}

/**
 * Lists the versions of the crawl workers that polled recently; null stands for workers without a version.
 * @throws ServiceError when the server does not answer
 */
export async function liveBuilds(client: Client): Promise<Set<string | null>> {
  const pollers = await Promise.all([
    recentPollers(client, CRAWL_QUEUE, TaskType.workflow),
    recentPollers(client, CRAWL_QUEUE, TaskType.activity),
  ]);
  return new Set(pollers.flat().map(buildOf));
}

function buildOf({ deploymentOptions }: Poller): string | null {
  return deploymentOptions?.workerVersioningMode === VERSIONED ? (deploymentOptions.buildId ?? null) : null;
}

/** Returns whether a process of this machine has ended. The server still lists a worker for minutes after its end. */
export function isDeadHere(identity: string): boolean {
  const [, pid, place = ''] = /^(\d+)@.* place=([0-9a-f]*)-[0-9a-f]+$/.exec(identity) ?? [];
  return isCertainlyGone({ pid: Number(pid), place }, markOf(findPlace()));
}
