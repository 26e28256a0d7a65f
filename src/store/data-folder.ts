import path from 'node:path';
import type { LandingStream } from '../../schemas/streams/landing-streams.js';

/*
 * Every path below the data folder.
 *
 *     data/
 *     ├── folder.json                        identity of the folder; workers check it for every run
 *     ├── working-copy.json                  bucket whose data is copied here (`data: s3://…`)
 *     ├── copy-unfinished.json               exists until `tidemark data copy` has copied all data
 *     ├── landing/                           every answer as received
 *     │   ├── <stream>/date=…/run=…/         parts, manifests, spools and quarantine, named in src/landing/paths.ts
 *     │   └── removal.lock                   held while compaction removes parts or a replay reads them
 *     ├── runs/<run>/
 *     │   ├── due/<stream>/                  plan.json, and the records to fetch in chunk-00000.json and so on
 *     │   ├── requests/<chunk>.ndjson        request log
 *     │   ├── sent/<check>-<n>               payee checks that were sent
 *     │   └── known-market.json              what earlier nights found; the run's plan is based on it
 *     ├── calibration/<market>.json          how the API treated each filter in the last search
 *     ├── fx/<hash>.csv                      last download of exchange rates (`fx.file` as a web address)
 *     ├── rejects/<stream>/date=…/run=…/     rejected values with reason and raw body, one file per part
 *     ├── resolve/<hash>.json                lists of `tidemark resolve` and `tidemark enrich`
 *     ├── payees/<hash>.csv                  lists of `tidemark payees check`, until their runs end
 *     ├── alerts/<date>/                     result of sending each alert of a night, one file per alert and target
 *     ├── owner-jobs/                        enrichment jobs: open/<company>.json and ended/<company>.json
 *     ├── warehouse/
 *     │   ├── tidemark.duckdb                the writer's file
 *     │   ├── tidemark.duckdb.checkpoint.json  checkpoint from which the file was made (`data: s3://…`)
 *     │   ├── tidemark.duckdb.rebuild        the new file that a replay or a publication is writing
 *     │   └── writer.lock                    held by the only writer
 *     ├── published/
 *     │   ├── market.duckdb, lake            links that readers open; they lead through `current`
 *     │   ├── current                        link to the current build
 *     │   ├── builds/<build>/                immutable market.duckdb and lake/ of each kept build, and its number
 *     │   ├── copy/                          result of the last copy to `publish.to`
 *     │   └── switch.lock                    held while `current` changes, and while a build is taken from the bucket
 *     ├── rebuilt/<from>..<to>/              warehouse/, rejects/ and published/ of a replay of some nights
 *     ├── env/<name>.duckdb                  dev environments
 *     ├── secrets/
 *     │   ├── login.json, api-key            for which API a key is stored; the key
 *     │   ├── sandbox.json                   address and key of the sandbox of a running demo
 *     │   ├── keys-in-use/<worker>.json      fingerprint of the API key that a crawl worker holds
 *     │   ├── forgotten, forget-unproven.json  keyed hashes of what was forgotten; values of an unfinished `forget`
 *     │   ├── personal-data-key              key of the fingerprints that replace removed personal data
 *     │   └── webhook-secret, payee-salt     secret that `watch apply` received; secret of the hashes of payees
 *     ├── temporal/                          dev server: temporal.db, server.json, owner.lock, start.lock
 *     ├── logs/                              worker.log, temporal.log and sandbox.log of `up` and `demo`
 *     ├── report.html, demo-began            report of `tidemark report`; day of the first demo
 *     └── demo/                              data folder of a demo, if the configuration names a real API
 */

/** Makes the function that returns a path below the data folder. */
const at =
  (...parts: string[]) =>
  (dataDir: string): string =>
    path.join(dataDir, ...parts);

const LISTS = 'resolve';
const PAYEES = 'payees';

/** Identifies a run's folder in the landing zone. */
export interface LandingPlace {
  data: { readonly dataDir: string };
  stream: LandingStream;
  run: string;
  /** Date of the night, `YYYY-MM-DD`. */
  date: string;
}

/** Folder with the results of sending alerts. It holds a folder for each night. */
export const alertsDir = at('alerts');

/** Path of the file with the folder's identity. */
export const identityFile = at('folder.json');

/** File that exists from the begin of `tidemark data copy` until all data is here. A bucket has the same key. */
export const unfinishedCopyFile = at('copy-unfinished.json');

/** File that says of which bucket the folder is a working copy. */
export const workingCopyFile = at('working-copy.json');

/** Path of the landing zone. */
export const landingDir = at('landing');

/** Folder of a stream in the landing zone. It holds a folder for each date. */
export const streamDir = (dataDir: string, stream: LandingStream): string => path.join(landingDir(dataDir), stream);

/** Returns `data/landing/<stream>/date=…/run=…`. */
export const runFolder = ({ data, stream, date, run }: LandingPlace): string =>
  path.join(streamDir(data.dataDir, stream), `date=${date}`, `run=${run}`);

/** Path of the lock that stops compaction and replay from running at the same time. */
export const removalLock = at('landing', 'removal.lock');

/** Folder with the due plan of a stream in a run: the records that the run must fetch. */
export const dueDir = (dataDir: string, run: string, stream: string): string =>
  path.join(runDir(dataDir, run), 'due', stream);

/** File with the counts of a due plan. Written last, so if this file exists, all chunk files exist. */
export const duePlanFile = (folder: string): string => path.join(folder, 'plan.json');

/** Path of one chunk file of a due plan, numbered from 0: `chunk-00000.json`. */
export const chunkFile = (folder: string, chunk: number): string =>
  path.join(folder, `chunk-${String(chunk).padStart(5, '0')}.json`);

/** Folder of a run's request log, one file per chunk. */
export const requestsDir = (dataDir: string, run: string): string => path.join(runDir(dataDir, run), 'requests');

/** File with the request log of one chunk. */
export const requestsFile = (dataDir: string, run: string, chunk: string): string =>
  path.join(requestsDir(dataDir, run), `${chunk}.ndjson`);

/** File with what earlier nights found in a market. The plan of the run is based on it. */
export const knownMarketFile = (dataDir: string, run: string): string =>
  path.join(runDir(dataDir, run), 'known-market.json');

/** File with the result of the calibration in a market's last search. */
export const calibrationFile = (dataDir: string, market: string): string =>
  path.join(dataDir, 'calibration', `${encodeURIComponent(market)}.json`);

/** File with the rejects of one part, as JSON lines. */
export function rejectsFile({ data, stream, date, run }: LandingPlace, part: string): string {
  const name = `${part.replace(/\.parquet$/, '')}.ndjson`;
  return path.join(data.dataDir, 'rejects', stream, `date=${date}`, `run=${run}`, name);
}

/** Folder with the rejects of a stream. */
export const rejectsDir = (dataDir: string, stream: LandingStream): string => path.join(dataDir, 'rejects', stream);

/** Folder with the downloaded exchange rates. */
export const ratesDir = at('fx');

/** Folder with the prepared lists of `tidemark resolve` and `tidemark enrich`. */
export const listsDir = at(LISTS);

/** Folder that holds a folder for each run. */
export const runsDir = at('runs');

/** Folder with the results of replays that cover only some nights. */
export const rebuiltRoot = at('rebuilt');

/** File with a prepared list of `tidemark resolve` or `tidemark enrich`. */
export const listFile = (dataDir: string, name: string): string => path.join(dataDir, LISTS, name);

/** Returns `resolve/<name>`: how the inputs of `resolveCompanies` and `enrichPeople` name a list. */
export const listInput = (name: string): string => `${LISTS}/${name}`;

/** File with a list that `tidemark payees check` wrote for the workers. It is removed when its run ends. */
export const payeeListFile = (dataDir: string, name: string): string => path.join(dataDir, PAYEES, name);

/** Returns `payees/<name>`: how the input of the workflow `checkPayees` names a list. */
export const payeeListInput = (name: string): string => `${PAYEES}/${name}`;

/** File with the secret for keyed hashes of payees. The hashes identify payees without their account numbers. */
export const payeeSaltFile = at('secrets', 'payee-salt');

/** File that records a call for a payee check. After a kill, it shows that the call may have reached the API. */
export const sentCheckFile = (dataDir: string, run: string, fingerprint: string, call: number): string =>
  path.join(runDir(dataDir, run), 'sent', `${fingerprint}-${call}`);

/** Folder of the enrichment jobs that are still open, or of those that have ended. */
export const ownerJobsDir = (dataDir: string, which: 'open' | 'ended'): string =>
  path.join(dataDir, 'owner-jobs', which);

/** Path of the warehouse: the DuckDB file into which the only writer writes. */
export const warehouseFile = at('warehouse', 'tidemark.duckdb');

/** DuckDB file of the new warehouse that a replay, or a publication without free blocks, is writing. */
export const replayFile = at('warehouse', 'tidemark.duckdb.rebuild');

/** Path of the lock that allows only one writer of the warehouse. */
export const writerLock = at('warehouse', 'writer.lock');

/** Folder with the builds and with the links that readers open. */
export const publishedDir = at('published');

/** Path of the link that analysts open. It leads to the DuckDB file of the current build. */
export const publishedFile = at('published', 'market.duckdb');

/** Path of the link to the lake of the current build (the published tables as Parquet files). */
export const publishedLake = at('published', 'lake');

/** Path of the link to the current build. The other links lead through this link, so that all switch in one step. */
export const currentLink = at('published', 'current');

/** Folder that holds a subfolder for each immutable build. */
export const buildsDir = at('published', 'builds');

/** Path of the folder of a build. */
export const buildDir = (dataDir: string, name: string): string => path.join(buildsDir(dataDir), name);

/** Path of the DuckDB file in the folder of a build. The link that readers open has the same file name. */
export const fileOf = (build: string): string => path.join(build, 'market.duckdb');

/** Path of the lake in the folder of a build. The link that readers open has the same name. */
export const lakeOf = (build: string): string => path.join(build, 'lake');

/** Folder with the result of the last copy of a build to `publish.to`, and with files that are being copied. */
export const copyDir = at('published', 'copy');

/** Path of the lock that a process holds while it switches readers to another build, or takes one from the bucket. */
export const switchLock = at('published', 'switch.lock');

/** Result of a replay of some nights: `rebuilt/<from>..<to>`. Without a first night: `..<to>`; without a last: `<from>..`. */
export const rebuiltDir = (
  dataDir: string,
  { from = '', to = '' }: { from?: string | undefined; to?: string | undefined },
): string => path.join(rebuiltRoot(dataDir), `${from}..${to}`);

/** Folder that holds a file for each dev environment. */
export const envDir = at('env');

/** DuckDB file of a dev environment. */
export const envFile = (dataDir: string, name: string): string => path.join(envDir(dataDir), `${name}.duckdb`);

/** File with the webhook secret that `watch apply` received. */
export const webhookSecretFile = at('secrets', 'webhook-secret');

/** File that says for which API `tidemark login` stored a key. */
export const loginFile = at('secrets', 'login.json');

/** File with the API key that `tidemark login` stored. */
export const storedKeyFile = at('secrets', 'api-key');

/** File that names the sandbox of a running `demo` or `up --sandbox`, with its key. */
export const runningSandboxFile = at('secrets', 'sandbox.json');

/** File with the secret key for the fingerprints that replace removed personal data. */
export const personalDataKeyFile = at('secrets', 'personal-data-key');

/** File with the keyed hashes of forgotten people and companies. */
export const forgottenFile = at('secrets', 'forgotten');

/** File with the values that an unfinished `tidemark forget` has not yet proved to be gone. */
export const unprovenFile = at('secrets', 'forget-unproven.json');

/** Folder of the Temporal dev server's database and state. */
export const temporalDir = at('temporal');

/** File name of the dev server's database in `temporalDir`. */
export const TEMPORAL_DATABASE = 'temporal.db';

/** File that describes the running dev server. */
export const devServerFile = at('temporal', 'server.json');

/** Lock that a process holds while it runs the dev server. While it is free, any process may take over or start one. */
export const devServerLock = at('temporal', 'owner.lock');

/** Path of the lock that a process holds while it starts a dev server. */
export const devServerStartLock = at('temporal', 'start.lock');

/** Folder of the log files. */
export const logsDir = at('logs');

/** Path of the log file of a program that `up` or `demo` starts. */
export const logFile = (dataDir: string, part: 'worker' | 'temporal' | 'sandbox'): string =>
  path.join(logsDir(dataDir), `${part}.log`);

/** Path of the report that `tidemark report` writes without `--out`. */
export const reportFile = at('report.html');

/** File that holds the day of the first demo with this data folder. */
export const demoMark = at('demo-began');

/** Data folder of a demo, if the configuration names a real API. */
export const demoDir = at('demo');

function runDir(dataDir: string, run: string): string {
  return path.join(runsDir(dataDir), run);
}
