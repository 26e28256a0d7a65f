import path from 'node:path';
import type { LandingStream } from '../../schemas/pipeline/landing.js';

/*
 * Every path below the data folder.
 *
 *     data/
 *     ├── folder.json                        identity of the folder, which workers compare with the run's
 *     ├── landing/                           every answer as received
 *     │   ├── <stream>/date=…/run=…/         parts, manifests and spools, named in src/landing/paths.ts
 *     │   └── removal.lock                   held while compaction removes parts or a replay reads them
 *     ├── runs/<run>/
 *     │   ├── due/<stream>/                  plan.json, and the records to fetch in chunk-00000.json and so on
 *     │   ├── due/<stream>/known.json        latest checks of the run's payees
 *     │   ├── requests/<chunk>.ndjson        request log
 *     │   ├── sent/<chunk>.ndjson            payee checks that were sent
 *     │   └── known-market.json              facts of earlier nights on which the run's plan is based
 *     ├── calibration/<market>.json          how the API treated each filter in the last search
 *     ├── rejects/<stream>/date=…/run=…/     rejected values with reason and raw body, one file per part
 *     ├── resolve/<hash>.csv                 lists that `tidemark resolve` copied
 *     ├── payees/<hash>.csv                  lists of `tidemark payees check`, until their runs end
 *     ├── owner-jobs/                        enrichment jobs: open/<company>.json and ended/<company>.json
 *     ├── warehouse/
 *     │   ├── tidemark.duckdb                the writer's file
 *     │   ├── tidemark.duckdb.apply          models that `models apply` has built and not moved in yet
 *     │   ├── tidemark.duckdb.rebuild        the new file of a replay in progress
 *     │   └── writer.lock                    held by the only writer
 *     ├── published/
 *     │   ├── market.duckdb, lake            links that readers open; they lead through `current`
 *     │   ├── current                        link to the current build
 *     │   ├── builds/<build>/                immutable market.duckdb and lake/ of each kept build
 *     │   ├── replaced.json                  when readers left each older build
 *     │   └── switch.lock                    held while `current` changes
 *     ├── rebuilt/<from>..<to>/              warehouse/, rejects/ and published/ of a replay of some nights
 *     ├── env/<name>.duckdb                  dev environments
 *     ├── receivers/<receiver>               lock of a webhook receiver
 *     ├── secrets/
 *     │   ├── login.json                     for which API `tidemark login` stored a key, and where
 *     │   ├── api-key                        the stored key, if this machine has no keyring
 *     │   ├── forgotten                      keyed hashes of forgotten people and companies
 *     │   ├── forget-unproven.json           values of an unfinished `tidemark forget`
 *     │   ├── personal-data-key              key of the fingerprints that replace removed personal data
 *     │   ├── webhook-secret                 secret that `watch apply` received
 *     │   ├── payee-salt                     secret of the keyed hashes of payees
 *     │   └── webhook-receiver.lock          lock of receivers of older versions
 *     ├── temporal/                          dev server: temporal.db, server.json, owner.lock, start.lock
 *     ├── logs/                              worker.log, temporal.log and sandbox.log of `up` and `demo`
 *     ├── report.html                        report of `tidemark report`
 *     ├── demo-began                         day of the first demo
 *     └── demo/                              data folder of a demo next to a real API
 */

/** A run's folder in the landing zone. */
export interface LandingPlace {
  dataDir: string;
  stream: LandingStream;
  run: string;
  /** Logical date, `YYYY-MM-DD`. */
  date: string;
}

/** The file with the folder's identity. */
export function identityFile(dataDir: string): string {
  return path.join(dataDir, 'folder.json');
}

/** The landing zone. */
export function landingDir(dataDir: string): string {
  return path.join(dataDir, 'landing');
}

/** Folder of a stream in the landing zone, with a folder per date. */
export function streamDir(dataDir: string, stream: LandingStream): string {
  return path.join(landingDir(dataDir), stream);
}

/** Returns `data/landing/<stream>/date=…/run=…`. */
export function runFolder({ dataDir, stream, date, run }: LandingPlace): string {
  return path.join(streamDir(dataDir, stream), `date=${date}`, `run=${run}`);
}

/** Lock that keeps compaction and replay from running at the same time. */
export function removalLock(dataDir: string): string {
  return path.join(landingDir(dataDir), 'removal.lock');
}

/** Folder of a run's due plan. */
export function dueDir(dataDir: string, run: string, stream: string): string {
  return path.join(runDir(dataDir, run), 'due', stream);
}

/**
 * File with the counts of a due plan (the records to fetch in a run). Written after all chunk files, so if this file
 * exists, all chunk files exist.
 */
export function duePlanFile(folder: string): string {
  return path.join(folder, 'plan.json');
}

/** Path of one chunk file of a due plan, numbered from 0: `chunk-00000.json`. */
export function chunkFile(folder: string, chunk: number): string {
  return path.join(folder, `chunk-${String(chunk).padStart(5, '0')}.json`);
}

/** Folder of a run's request log, one file per chunk. */
export function requestsDir(dataDir: string, run: string): string {
  return path.join(runDir(dataDir, run), 'requests');
}

/** Request log of one chunk. */
export function requestsFile(dataDir: string, run: string, chunk: string): string {
  return path.join(requestsDir(dataDir, run), `${chunk}.ndjson`);
}

/** File with the facts of earlier nights on which a run's plan is based. */
export function knownMarketFile(dataDir: string, run: string): string {
  return path.join(runDir(dataDir, run), 'known-market.json');
}

/** File with the calibration of a market's last search. */
export function calibrationFile(dataDir: string, market: string): string {
  return path.join(dataDir, 'calibration', `${encodeURIComponent(market)}.json`);
}

/** File with the rejects of one part, as JSON lines. */
export function rejectsFile({ dataDir, stream, date, run }: LandingPlace, part: string): string {
  const name = `${part.replace(/\.parquet$/, '')}.ndjson`;
  return path.join(dataDir, 'rejects', stream, `date=${date}`, `run=${run}`, name);
}

/** Folder with the rejects of a stream. */
export function rejectsDir(dataDir: string, stream: LandingStream): string {
  return path.join(dataDir, 'rejects', stream);
}

/** Folder with the lists that users gave to `tidemark resolve`. */
export function listsDir(dataDir: string): string {
  return path.join(dataDir, LISTS);
}

/** Folder with a folder for each run. */
export function runsDir(dataDir: string): string {
  return path.join(dataDir, 'runs');
}

/** Folder of the replays of some nights. */
export function rebuiltRoot(dataDir: string): string {
  return path.join(dataDir, 'rebuilt');
}

/** Copy of a CSV file that a user gave to `tidemark resolve`. */
export function listFile(dataDir: string, name: string): string {
  return path.join(dataDir, LISTS, name);
}

/** Name of a list in the input of `resolveCompanies`: `resolve/<name>`. */
export function listInput(name: string): string {
  return `${LISTS}/${name}`;
}

/** List that `tidemark payees check` left for the workers; removed when its run ends. */
export function payeeListFile(dataDir: string, name: string): string {
  return path.join(dataDir, PAYEES, name);
}

/** Name of a list in the input of `checkPayees`: `payees/<name>`. */
export function payeeListInput(name: string): string {
  return `${PAYEES}/${name}`;
}

/** Secret of the keyed hashes that identify payees without their account numbers. */
export function payeeSaltFile(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'payee-salt');
}

/** Log of the payee checks of a chunk that were sent: shows after a kill which checks have no recorded answer. */
export function sentChecksFile(dataDir: string, run: string, chunk: string): string {
  return path.join(runDir(dataDir, run), 'sent', `${chunk}.ndjson`);
}

/** What a run knew about the payees of a stream when it planned their requests. */
export function knownChecksFile(dataDir: string, run: string, stream: string): string {
  return path.join(dueDir(dataDir, run, stream), 'known.json');
}

/** Folder of the enrichment jobs that are open, or of those that ended. */
export function ownerJobsDir(dataDir: string, which: 'open' | 'ended'): string {
  return path.join(dataDir, 'owner-jobs', which);
}

/** The writer's DuckDB file. */
export function warehouseFile(dataDir: string): string {
  return path.join(dataDir, 'warehouse', 'tidemark.duckdb');
}

/** File with models that `models apply` has built but not yet moved into the warehouse. */
export function stagedModelsFile(dataDir: string): string {
  return `${warehouseFile(dataDir)}.apply`;
}

/** DuckDB file of the new warehouse of a replay in progress. */
export function replayFile(dataDir: string): string {
  return `${warehouseFile(dataDir)}.rebuild`;
}

/** Lock of the only writer of the warehouse. */
export function writerLock(dataDir: string): string {
  return path.join(path.dirname(warehouseFile(dataDir)), 'writer.lock');
}

/** Folder of the builds and of the links that readers open. */
export function publishedDir(dataDir: string): string {
  return path.join(dataDir, 'published');
}

/** The link that analysts open: it leads to the DuckDB file of the current build. */
export function publishedFile(dataDir: string): string {
  return fileOf(publishedDir(dataDir));
}

/** The published tables as Parquet: a link that leads to the lake of the current build. */
export function publishedLake(dataDir: string): string {
  return lakeOf(publishedDir(dataDir));
}

/**
 * Symlink to the current build. The links to the file and the lake lead through this link, so that both switch in one
 * step.
 */
export function currentLink(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'current');
}

/** Folder of the immutable builds, one subfolder each. */
export function buildsDir(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'builds');
}

/** The folder of a build. */
export function buildDir(dataDir: string, name: string): string {
  return path.join(buildsDir(dataDir), name);
}

/** The DuckDB file in the folder of a build. The link that readers open has the same name. */
export function fileOf(build: string): string {
  return path.join(build, 'market.duckdb');
}

/** The lake in the folder of a build. The link that readers open has the same name. */
export function lakeOf(build: string): string {
  return path.join(build, 'lake');
}

/** File that records when readers left each older build. */
export function replacedFile(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'replaced.json');
}

/** Lock of the process that changes which build readers see. */
export function switchLock(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'switch.lock');
}

/**
 * Folder of a replay of some nights: `rebuilt/<from>..<to>`. If the replay has no first or last night, the name is
 * `rebuilt/..<to>` or `rebuilt/<from>..`.
 */
export function rebuiltDir(
  dataDir: string,
  { from = '', to = '' }: { from?: string | undefined; to?: string | undefined },
): string {
  return path.join(rebuiltRoot(dataDir), `${from}..${to}`);
}

/** Folder of the dev environments, one file each. */
export function envDir(dataDir: string): string {
  return path.join(dataDir, 'env');
}

/** DuckDB file of a dev environment. */
export function envFile(dataDir: string, name: string): string {
  return path.join(envDir(dataDir), `${name}.duckdb`);
}

/** Folder of the locks of the webhook receivers. */
export function receiversDir(dataDir: string): string {
  return path.join(dataDir, 'receivers');
}

/** Lock of a webhook receiver, held while the receiver owns its spools. */
export function receiverLock(dataDir: string, receiver: string): string {
  return path.join(receiversDir(dataDir), receiver);
}

/** Lock of webhook receivers of older versions. */
export function olderReceiverLock(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'webhook-receiver.lock');
}

/** File with the webhook secret that `watch apply` received. */
export function webhookSecretFile(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'webhook-secret');
}

/** File that says for which API `tidemark login` stored a key, and where. It holds no key. */
export function loginFile(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'login.json');
}

/** File with the API key that `tidemark login` stored, if this machine has no keyring. It holds only the key. */
export function storedKeyFile(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'api-key');
}

/** File with the key of the fingerprints that replace removed personal data. */
export function personalDataKeyFile(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'personal-data-key');
}

/** File with the keyed hashes of forgotten people and companies. */
export function forgottenFile(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'forgotten');
}

/** File with the values that an unfinished removal must still prove to be gone. */
export function unprovenFile(dataDir: string): string {
  return path.join(dataDir, SECRETS, 'forget-unproven.json');
}

/** Folder of the Temporal dev server's database and state. */
export function temporalDir(dataDir: string): string {
  return path.join(dataDir, 'temporal');
}

/** Name of the dev server's database in its folder. */
export const TEMPORAL_DATABASE = 'temporal.db';

/** File that describes the running dev server. */
export function devServerFile(dataDir: string): string {
  return path.join(temporalDir(dataDir), 'server.json');
}

/**
 * Lock of the process that runs the dev server and will stop it. If the lock is free, the next process may take over
 * the running server, or start a server.
 */
export function devServerLock(dataDir: string): string {
  return path.join(temporalDir(dataDir), 'owner.lock');
}

/** Lock of the process that starts a dev server. */
export function devServerStartLock(dataDir: string): string {
  return path.join(temporalDir(dataDir), 'start.lock');
}

/** Folder of the logs. */
export function logsDir(dataDir: string): string {
  return path.join(dataDir, 'logs');
}

/** Log of a program that `up` or `demo` starts. */
export function logFile(dataDir: string, part: 'worker' | 'temporal' | 'sandbox'): string {
  return path.join(logsDir(dataDir), `${part}.log`);
}

/** The report that `tidemark report` writes without `--out`. */
export function reportFile(dataDir: string): string {
  return path.join(dataDir, 'report.html');
}

/** File that the first demo leaves in a data folder, with the day of that demo. */
export function demoMark(dataDir: string): string {
  return path.join(dataDir, 'demo-began');
}

/** Data folder of a demo whose configuration names a real API. */
export function demoDir(dataDir: string): string {
  return path.join(dataDir, 'demo');
}

const LISTS = 'resolve';
const PAYEES = 'payees';
const SECRETS = 'secrets';

function runDir(dataDir: string, run: string): string {
  return path.join(runsDir(dataDir), run);
}
