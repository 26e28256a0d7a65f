import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ensureTemporalCli } from '../../../bootstrap/temporal.mjs';
import { startDevServer } from '../../../src/cli/local/dev-server.js';
import { warehouseFile } from '../../../src/store/data-folder.js';
import { openDataFolder, readDataFolder } from '../../../src/store/folder-identity.js';
import { findPlace } from '../../../src/store/lock/holder.mjs';
import { copyData } from '../../../src/maintenance/copy/copy-data.js';
import { openWarehouse } from '../../../src/warehouse/duckdb/open.js';
import { manifestName, pullManifests, pullParts, readManifests } from '../../../src/landing/index.js';
import { loadLanding } from '../../../src/warehouse/load/load.js';
import { openFingerprint } from '../../../src/privacy/fingerprint.js';
import { forget } from '../../../src/maintenance/forget/forget.js';
import { Data, type SharedData } from '../../../src/store/data.js';
import { writeDevServer } from '../../../src/temporal/dev-server-state.js';
import { findTexts } from '../../helpers/find-texts.js';
import { runCli, type CliResult } from '../../helpers/run-cli.js';
import { land, temporaryDataDir, type Answer } from '../../helpers/warehouse.js';
import { folder } from '../maintenance/copy/contract.js';
import { makeMachines } from '../store/machines.js';

/*
 * Each test brings a data folder into a state, reads the advice of the error, follows it literally, and shows what is
 * lost and what is not. test/repo/advice.ts lists all advice, with its tests.
 */

const NOW = new Date('2026-11-25T02:00:00Z');
const ID = '4711';
const NAME = 'Jiřina Nováková';
const company = (id: number, more: Partial<Answer> = {}): Answer => ({
  stream: 'companies',
  entity: String(id),
  body: { id, name: `C${id}` },
  ...more,
});
const PERSON: Answer = { stream: 'employee_details', entity: ID, body: { id: Number(ID), full_name: NAME } };

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryDataDir();
});

const at = (name: string): string => path.join(dataDir, name);
const advises = (...texts: string[]) => ({
  todo: expect.stringMatching(texts.map((text) => `(?=.*${text})`).join('')),
});
const forgetNow = (...ids: string[]) =>
  forget(new Data(dataDir), { subjects: ids.map((id) => ({ kind: 'person', id })), now: NOW, personalData: true });

/** Loads the landing zone; returns the number of companies in the warehouse, and what the load says of lost parts. */
async function load(): Promise<{ companies: number; gone: string | undefined }> {
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    const { gone } = await loadLanding(warehouse, new Data(dataDir));
    return {
      companies: await warehouse.db.count(`SELECT count(*) FROM ledger.answers WHERE stream = 'companies'`),
      gone,
    };
  } finally {
    await warehouse.close();
  }
}

/** Runs a command with the data folder. */
async function tidemark(...args: string[]): Promise<CliResult> {
  const cwd = temporaryDataDir();
  writeFileSync(path.join(cwd, 'tidemark.yaml'), "api: { baseUrl: 'http://127.0.0.1:9' }\npersonalData: contacts\n");
  return runCli(args, { cwd, env: { TIDEMARK_DATA: dataDir } });
}

it('a damaged key of fingerprints: a backup restores it; without it, equal texts differ once', async () => {
  const file = at('secrets/personal-data-key');
  const before = (await openFingerprint(new Data(dataDir)))('a text');
  const backup = readFileSync(file);
  writeFileSync(file, 'no key');
  const advice = advises(
    'Restore data/secrets',
    'delete the file; then events about people may appear twice',
    'run it again with the same ids',
  );
  await expect(openFingerprint(new Data(dataDir))).rejects.toMatchObject(advice);
  writeFileSync(file, backup);
  expect((await openFingerprint(new Data(dataDir)))('a text')).toBe(before);
  rmSync(file);
  expect((await openFingerprint(new Data(dataDir)))('a text')).not.toBe(before);
  await land(dataDir, [PERSON]);
  await forgetNow(ID);
  await land(dataDir, [{ ...PERSON, run: 'later' }]);
  expect(await findTexts(dataDir, [NAME])).toEqual([]);
});

it('a damaged folder.json: a backup restores the identity; without it, the folder gets a new one', async () => {
  const { id } = await openDataFolder(dataDir);
  const backup = readFileSync(at('folder.json'));
  truncateSync(at('folder.json'), 5);
  const advice = advises('restore it from a backup', 'Without a backup, delete it: .*new identity, and open runs fail');
  await expect(openDataFolder(dataDir)).rejects.toMatchObject(advice);
  writeFileSync(at('folder.json'), backup);
  expect(readDataFolder(dataDir)?.id).toBe(id);
  rmSync(at('folder.json'));
  expect((await openDataFolder(dataDir)).id).not.toBe(id);
});

it('a damaged folder.json of a place to copy: restored, the copy works, and needs nothing of its source', async () => {
  await openDataFolder(dataDir);
  await land(dataDir, [company(1)]);
  const backup = readFileSync(at('folder.json'));
  truncateSync(at('folder.json'), 5);
  const target = folder(temporaryDataDir());
  await expect(copyData(folder(dataDir), target)).rejects.toMatchObject(advises('Restore the file from a backup'));
  writeFileSync(at('folder.json'), backup);
  expect((await copyData(folder(dataDir), target)).verified.differences).toEqual([]);
  rmSync(dataDir, { recursive: true });
  dataDir = target.dataDir ?? '';
  expect(await load()).toMatchObject({ companies: 1 });
});

it('an unfinished removal of people: a copy works after the command ended', async () => {
  await openDataFolder(dataDir);
  await land(dataDir, [PERSON, company(1)]);
  writeFileSync(at('notes.txt'), NAME);
  expect((await forgetNow(ID)).proof).toMatchObject({ proven: false, remaining: [{ file: 'notes.txt' }] });
  const target = temporaryDataDir();
  await expect(copyData(folder(dataDir), folder(target))).rejects.toMatchObject({
    message: expect.stringContaining('is not finished'),
    ...advises('Run that command again. Then copy'),
  });
  rmSync(at('notes.txt'));
  expect((await forgetNow()).proof).toMatchObject({ proven: true });
  await copyData(folder(dataDir), folder(target));
  expect(await findTexts(target, [NAME])).toEqual([]);
});

it('loaded parts that are gone: a backup restores them; without it, the warehouse keeps the rows until a replay', async () => {
  await land(dataDir, [company(1), company(2, { run: 'r2' })]);
  await load();
  const lost = path.dirname(readManifests(dataDir, { run: 'r2' })[0]!.file);
  const backup = path.join(temporaryDataDir(), 'backup');
  renameSync(lost, backup);
  const { gone, companies } = await load();
  expect(gone).toMatch(
    /Restore these parts from a backup\. Without a backup, leave it so: .*`tidemark replay` loses them/,
  );
  expect(companies).toBe(2);
  cpSync(backup, lost, { recursive: true });
  expect(await load()).toMatchObject({ gone: undefined, companies: 2 });
  rmSync(lost, { recursive: true });
  expect((await tidemark('replay')).code).toBe(0);
  expect(await load()).toMatchObject({ gone: undefined, companies: 1 });
});

it('a removal of people from damaged parts: restored, or moved away, it ends, and says what it did not reach', async () => {
  await land(dataDir, [PERSON, company(1, { run: 'r2' })]);
  await load();
  const part = readManifests(dataDir, { stream: 'companies' })[0]!;
  const manifest = path.join(path.dirname(part.file), '_manifest', manifestName(part.part));
  const backup = readFileSync(manifest);
  truncateSync(manifest, 5);
  const advice = advises(
    'Nothing was removed',
    'Restore the files',
    '`tidemark quarantine`, which says what is lost, and `tidemark replay`',
    'Then run `tidemark forget` again',
  );
  await expect(forgetNow(ID)).rejects.toMatchObject(advice);
  const copy = temporaryDataDir();
  cpSync(dataDir, copy, { recursive: true });

  expect((await tidemark('quarantine')).stdout).toContain('1 other answers: the next runs fetch these records again');
  expect((await tidemark('replay')).code).toBe(0);
  expect((await forgetNow(ID)).proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, [NAME])).toEqual([]);

  const original = dataDir;
  dataDir = copy;
  writeFileSync(manifest.replace(original, copy), backup);
  expect((await forgetNow(ID)).proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, [NAME])).toEqual([]);
});

it('a folder at the place of a file: moved away, the next command makes the file', async () => {
  await land(dataDir, [company(1)]);
  mkdirSync(warehouseFile(dataDir), { recursive: true });
  writeFileSync(path.join(warehouseFile(dataDir), 'mine.txt'), 'mine');
  await expect(load()).rejects.toMatchObject({ type: 'DiskUnusable', ...advises('Move it to another place') });
  renameSync(warehouseFile(dataDir), at('elsewhere'));
  expect(await load()).toMatchObject({ companies: 1 });
  expect(existsSync(at('elsewhere/mine.txt'))).toBe(true);
});

it('a removed working copy: the next step takes what it needs', async () => {
  const [one, two] = (await makeMachines(2)) as [SharedData, SharedData];
  await land(one.dataDir, [company(1), PERSON]);
  const take = async (): Promise<string[]> => {
    await pullManifests(new Data(two.dataDir));
    await pullParts(new Data(two.dataDir), readManifests(two.dataDir));
    return readManifests(two.dataDir).flatMap(({ file, stream }) => (existsSync(file) ? [stream] : []));
  };
  expect(await take()).toEqual(['companies', 'employee_details']);
  rmSync(two.dataDir, { recursive: true });
  expect(await take()).toEqual(['companies', 'employee_details']);
});

it('a hanging dev server: ended as advised, a new one starts with the same database', async () => {
  const hanging = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'server', 'start-dev']);
  await once(hanging, 'spawn');
  const ended = once(hanging, 'exit');
  onTestFinished(() => void hanging.kill('SIGKILL'));
  const [silent, port, uiPort] = await freePorts();
  await writeDevServer(dataDir, {
    place: findPlace(),
    address: `127.0.0.1:${silent}`,
    ui: 'http://127.0.0.1:1',
    pid: hanging.pid!,
  });
  const program = async (): Promise<string> => (await ensureTemporalCli({ log: () => undefined })).path;
  const start = () => startDevServer({ dataDir, program, ports: async () => ({ port, uiPort }), logFile: at('log') });
  await expect(start()).rejects.toMatchObject(advises(`End the process \\(kill ${hanging.pid}\\), then try again`));
  process.kill(hanging.pid!);
  await ended;
  const server = await start();
  expect(server).toMatchObject({ shared: false, address: `127.0.0.1:${port}` });
  await server.stop();
});

async function freePorts(): Promise<[number, number, number]> {
  const servers = [0, 0, 0].map((port) => createServer().listen(port, '127.0.0.1'));
  await Promise.all(servers.map((one) => once(one, 'listening')));
  const ports = servers.map((one) => (one.address() as AddressInfo).port);
  for (const one of servers) one.close();
  return ports as [number, number, number];
}
