import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WEBHOOK_RUN } from '../../../schemas/pipeline/landing.js';
import { manifestName, readManifests, type LandedPart } from '../../../src/landing/index.js';
import { Bucket } from '../../../src/store/s3/bucket.js';
import { S3Client } from '../../../src/store/s3/client.js';
import { loadLanding } from '../../../src/warehouse/load/load.js';
import { emptyFolder, runCli, type CliResult } from '../../helpers/run-cli.js';
import { land, openTestWarehouse, type Answer } from '../../helpers/warehouse.js';
import { startGateway } from '../../helpers/versitygw.js';
import { Data } from '../../../src/store/data.js';

const DAMAGES: [string, (file: string) => void][] = [
  ['a flipped byte', flipByte],
  ['a file cut off', (file) => truncateSync(file, 100)],
  ['a longer file', (file) => appendFileSync(file, 'x')],
  ['a missing file', (file) => rmSync(file)],
];
const company = (id: number): Answer => ({ stream: 'companies', entity: String(id), body: { id, name: `C${id}` } });
const event = { company: 1, field: 'name', old: 'a', new: 'b', date: '2026-11-20T02:00:00+00:00' };
const DELIVERY: Answer = {
  stream: 'watch_events',
  run: WEBHOOK_RUN,
  market: null,
  request: 'WEBHOOK /delivery',
  body: event,
};
/** What may be damaged, and what the command says is lost. */
const KINDS: [string, Answer, RegExp][] = [
  ['deliveries', DELIVERY, /1 webhook deliveries: nobody sends them again\. `tidemark backfill` fetches events/],
  ['company records', company(1), /1 other answers: the next runs fetch these records again/],
  [
    'searches',
    { stream: 'prospecting', body: { companies: [] } },
    /1 answers to searches and lists: the API does not show a past day again/,
  ],
  [
    'records about runs',
    { stream: 'runs', entity: 'r', body: { run_id: 'r' } },
    /1 records about runs: these runs lack them/,
  ],
];

/** A data folder with one damaged part and a sound one, and the commands that work on it. */
async function damaged(bad: Answer, damage: (file: string) => void) {
  const { dir, remove } = emptyFolder();
  onTestFinished(remove);
  writeFileSync(path.join(dir, 'tidemark.yaml'), JSON.stringify({ api: { baseUrl: 'http://127.0.0.1:9' } }));
  const dataDir = path.join(dir, 'data');
  await land(dataDir, [bad]);
  const [part] = readManifests(dataDir) as [LandedPart];
  await land(dataDir, [company(2)]);
  const backup = path.join(dir, 'backup.parquet');
  copyFileSync(part.file, backup);
  damage(part.file);
  const warehouse = await openTestWarehouse(dataDir);
  const load = async () => loadLanding(warehouse, new Data(dataDir));
  const tidemark = (...args: string[]): Promise<CliResult> =>
    runCli(args, { cwd: dir, env: { TIDEMARK_DATA: dataDir } });
  return { dir, dataDir, part, backup, load, tidemark };
}

it.each(KINDS.flatMap(([kind, answer, lost], i) => [[DAMAGES[i]![0], kind, answer, DAMAGES[i]![1], lost] as const]))(
  'lets nights go on after %s of %s, and says what is lost',
  async (_, _kind, answer, damage, lost) => {
    const { part, backup, load, tidemark } = await damaged(answer, damage);
    // The advice of the error, followed literally.
    await expect(load()).rejects.toMatchObject({
      type: 'LandingCorrupt',
      todo: expect.stringContaining(
        'Without a backup: `tidemark quarantine` moves it out of the way, and says what is lost.',
      ),
    });
    const { stdout, code } = await tidemark('quarantine');
    expect(code).toBe(0);
    expect(stdout).toMatch(lost);
    expect(await load()).toEqual({ parts: 0, rows: 0, rejects: 0 });
    copyFileSync(backup, part.file);
    expect((await tidemark('quarantine', '--return')).stdout).toContain('1 part returned');
    expect(await load()).toMatchObject({ parts: 1, rows: 1 });
  },
);

/** How a manifest may be damaged. */
const BROKEN: [string, (file: string) => void][] = [
  ['cut off', (file) => truncateSync(file, 40)],
  ['emptied', (file) => truncateSync(file)],
  ['that lacks fields', (file) => writeFileSync(file, '{}')],
  ['with a flipped byte', (file) => writeFileSync(file, `\0${readFileSync(file, 'utf8').slice(1)}`)],
];
const manifestOf = (file: string): string =>
  path.join(path.dirname(file), '_manifest', manifestName(path.basename(file)));

it.each(KINDS.map(([kind, answer, lost], i) => [BROKEN[i]![0], kind, answer, BROKEN[i]![1], lost] as const))(
  'moves a manifest %s of %s with its part, and returns both',
  async (_, _kind, answer, damage, lost) => {
    let backup = '';
    const { part, load, tidemark } = await damaged(answer, (file) => {
      backup = readFileSync(manifestOf(file), 'utf8');
      damage(manifestOf(file));
    });
    const broken = readFileSync(manifestOf(part.file));
    const bytes = readFileSync(part.file);
    await expect(load()).rejects.toMatchObject({ type: 'LandingCorrupt', todo: expect.stringContaining('quarantine') });
    const { stdout, code } = await tidemark('quarantine');
    expect([code, stdout]).toEqual([0, expect.stringMatching(lost)]);
    expect(await load()).toMatchObject({ parts: 0 });
    const kept = path.join(path.dirname(part.file), '_quarantine');
    expect(readFileSync(path.join(kept, path.basename(manifestOf(part.file))))).toEqual(broken);
    expect(readFileSync(path.join(kept, part.part))).toEqual(bytes);
    expect((await tidemark('quarantine', '--return')).stdout).toContain('No part in quarantine has a sound file.');
    writeFileSync(manifestOf(part.file), backup);
    expect((await tidemark('quarantine', '--return')).stdout).toContain('1 part returned');
    expect(await load()).toMatchObject({ parts: 1, rows: 1 });
    expect(readdirSync(kept)).toEqual([]);
  },
);

it('moves a damaged manifest whose part is missing or damaged, and says that the number is unknown', async () => {
  const { dataDir, load, tidemark } = await damaged(DELIVERY, (file) => {
    truncateSync(manifestOf(file), 3);
    truncateSync(file, 30);
  });
  await land(dataDir, [{ ...DELIVERY, market: 'gone' }]);
  const gone = readManifests(dataDir, { run: WEBHOOK_RUN }, () => undefined)[0]!.file;
  rmSync(gone);
  truncateSync(manifestOf(gone), 3);
  expect((await tidemark('quarantine')).stdout).toMatch(
    /2 parts moved.*\n +an unknown number of webhook deliveries: nobody/,
  );
  expect(await load()).toMatchObject({ parts: 1, rows: 1 });
});

it('counts the rows of a part with a damaged manifest and damaged pages', async () => {
  const { tidemark } = await damaged(DELIVERY, (file) => {
    truncateSync(manifestOf(file), 3);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 4, 400));
  });
  expect((await tidemark('quarantine')).stdout).toMatch(/1 part moved.*\n +1 webhook deliveries: nobody/);
});

it('moves damaged manifests and parts of a bucket, and another machine returns them', async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.remove());
  const { dir, dataDir, part } = await damaged(DELIVERY, () => undefined);
  const other = readManifests(dataDir, { stream: 'companies' })[0]!;
  const bucket = new Bucket(new S3Client({ bucket: gateway.bucket, prefix: 'here' }, gateway.env));
  const keyOf = (file: string): string => path.relative(dataDir, file);
  for (const file of [part, other].flatMap((one) => [one.file, manifestOf(one.file)]))
    await bucket.upload(keyOf(file), file);
  const config = { api: { baseUrl: 'http://127.0.0.1:9' }, data: `s3://${gateway.bucket}/here` };
  writeFileSync(path.join(dir, 'tidemark.yaml'), JSON.stringify(config));
  const tidemark = async (machine: string, ...args: string[]): Promise<string> =>
    (await runCli(args, { cwd: dir, env: { ...gateway.env, TIDEMARK_STORAGE_FOLDER: machine } })).stdout;
  const landed = async (): Promise<string[]> => {
    const names: string[] = [];
    for await (const { key } of bucket.list('landing/')) if (!key.includes('/_quarantine/')) names.push(key);
    return names;
  };
  const before = await landed();

  await bucket.remove(keyOf(manifestOf(part.file)));
  await bucket.create(keyOf(manifestOf(part.file)), Buffer.from('{"stre'));
  await bucket.remove(keyOf(other.file));
  expect(await tidemark('one', 'quarantine')).toMatch(/2 parts moved.*\n +1 webhook deliveries.*\n +1 other answers/);
  expect(await landed()).toEqual([]);

  await bucket.upload(keyOf(manifestOf(part.file)), manifestOf(part.file));
  await bucket.upload(keyOf(other.file), other.file);
  expect(await tidemark('two', 'quarantine', '--return')).toContain('2 parts returned');
  expect(await landed()).toEqual(before);
  expect(await tidemark('one', 'quarantine')).toContain('No landed part is damaged or missing.');
});

it('deletes nothing', async () => {
  const { part, dataDir, tidemark } = await damaged(DELIVERY, flipByte);
  const bytes = readFileSync(part.file);
  const moved = JSON.parse((await tidemark('quarantine', '--json')).stdout) as { file: string; rows: number }[];
  expect(moved).toMatchObject([{ file: part.file, rows: 1, run: WEBHOOK_RUN }]);
  expect(existsSync(part.file)).toBe(false);
  expect(readFileSync(path.join(path.dirname(part.file), '_quarantine', part.part))).toEqual(bytes);
  expect(readManifests(dataDir).map(({ stream }) => stream)).toEqual(['companies']);
  expect((await tidemark('quarantine')).stdout).toContain('No landed part is damaged or missing.');
  expect((await tidemark('quarantine', '--return')).stdout).toContain('No part in quarantine has a sound file.');
});

it('moves the parts of a run with a wrong clock, and returns them', async () => {
  const { dataDir, load, tidemark } = await damaged(company(1), () => undefined);
  await land(dataDir, [{ ...company(3), run: 'ahead', at: '2031-01-01T00:00:00.000Z' }, DELIVERY]);
  expect((await tidemark('quarantine', '--run', 'ahead')).stdout).toMatch(/1 part moved.*\n.*1 other answers/);
  expect(
    readManifests(dataDir)
      .map(({ run }) => run)
      .toSorted(),
  ).toEqual(['r1', 'r1', WEBHOOK_RUN]);
  expect((await tidemark('quarantine', '--return')).stdout).toContain('1 part returned');
  expect(await load()).toMatchObject({ parts: 4 });
});

it.each([
  ['deliveries, which have no run', WEBHOOK_RUN, 'The deliveries of webhooks have no run'],
  ['a run that landed nothing', 'nobody', 'No landed part belongs to the run nobody.'],
])('refuses to move %s', async (_, run, message) => {
  const { tidemark, dataDir } = await damaged(company(1), () => undefined);
  const { code, stderr } = await tidemark('quarantine', '--run', run);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readManifests(dataDir)).toHaveLength(2);
});

// As docs/operations.md advises after a restore.
it('loads deliveries that are copied from a damaged folder into its backup', async () => {
  const { dir, dataDir, load } = await damaged(company(1), () => undefined);
  const old = path.join(dir, 'old');
  await land(old, [DELIVERY, company(7)]);
  execFileSync('cp', ['-an', path.join(old, 'landing', 'watch_events'), path.join(dataDir, 'landing/')]);
  expect(await load()).toMatchObject({ parts: 3, rows: 3 });
});

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 0xff;
  writeFileSync(file, bytes);
}
