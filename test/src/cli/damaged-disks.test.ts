import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWarehouse } from '../../../src/warehouse/duckdb/open.js';
import { readWholly } from '../../../src/warehouse/duckdb/read-wholly.js';
import { readOnly } from '../../../src/warehouse/duckdb/open.js';
import {
  DiskLab,
  flip,
  FULL,
  mayBeNobody,
  mayMount,
  NOT_MINE,
  READ_ONLY,
  writeProject,
  type Disk,
} from '../../helpers/disk-lab.js';
import { ROOT } from '../../helpers/processes.js';
import { marketNight, prepareBuilt, publishAndReopen } from '../../helpers/warehouse.js';
import { Data } from '../../../src/store/data.js';

const WAREHOUSE = 'warehouse/tidemark.duckdb';
const now = new Date('2026-11-20T12:00:00Z');
let prepared: string;

/** A data folder with two builds, and an edited model that is not applied yet. */
beforeAll(async () => {
  prepared = mkdtempSync(path.join(tmpdir(), 'tidemark-prepared-'));
  writeProject(prepared);
  const dataDir = path.join(prepared, 'data');
  await prepareBuilt(dataDir, [
    ...marketNight({ run: 'r1', date: '2026-11-20', ids: Array.from({ length: 50 }, (_, i) => i + 1) }),
    {
      run: 'r1',
      date: '2026-11-20',
      at: '2026-11-20T02:00:00Z',
      stream: 'executives',
      entity: '1',
      body: { pages: 1, list: [{ id: 1, nationality: 'Freedonian' }] },
    },
  ]);
  let warehouse = await openWarehouse(new Data(dataDir));
  for (const run of ['r1', 'r2']) warehouse = await publishAndReopen(warehouse, dataDir, { run, now });
  await warehouse.close();
  const models = path.join(prepared, 'models', 'marts');
  mkdirSync(models, { recursive: true });
  const shipped = readFileSync(path.join(ROOT, 'sql', 'marts', 'market_daily.sql'), 'utf8');
  writeFileSync(path.join(models, 'market_daily.sql'), shipped.replace('SELECT\n', 'SELECT -- edited\n'));
});

afterAll(() => rmSync(prepared, { recursive: true, force: true }));

/** A copy of the data folder, for all tests of a `describe`. */
function useLab(change: (lab: DiskLab) => unknown): () => DiskLab {
  let lab: DiskLab;
  beforeAll(async () => {
    lab = new DiskLab(prepared);
    await change(lab);
  });
  afterAll(() => lab.remove());
  return () => lab;
}

const published = (lab: DiskLab): string => realpathSync(lab.file('published/market.duckdb'));

/** Damages a block that only reading all rows finds. `sql`: a query that needs this block. */
async function flipBlockOf(file: string, sql: string): Promise<void> {
  const sound = readFileSync(file);
  chmodSync(file, 0o600);
  for (let at = 12_288 + 1_000; at < sound.length; at += 262_144) {
    flip(file, at);
    const opens = await readOnly(file, async () => true).catch(() => false);
    const reads = await readOnly(file, (db) => db.rows(sql)).catch(() => undefined);
    if (opens && reads === undefined) return;
    writeFileSync(file, sound);
  }
  throw new Error(`no block of ${file} belongs only to ${sql}`);
}

/** Writes a write-ahead log that belongs to another database. */
function foreignLog(file: string): void {
  const other = `${file}.other`;
  const script = `const { DuckDBInstance } = await import('@duckdb/node-api');
    const c = await (await DuckDBInstance.create(${JSON.stringify(other)})).connect();
    await c.run('CREATE TABLE a (x INTEGER)'); await c.run('CHECKPOINT'); await c.run('INSERT INTO a VALUES (1)');
    process.kill(process.pid, 'SIGKILL')`;
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, stdio: 'ignore' });
  } catch {
    // It killed itself, so that its log stays.
  }
  writeFileSync(`${file}.wal`, readFileSync(`${other}.wal`));
}

const DOCTOR = ['doctor', '--json'];
const PUBLISH = ['publish'];
const COMPACT = ['compact'];
const APPLY = ['models', 'apply'];
const ROLLBACK = ['models', 'rollback'];
const FORGET = ['forget', '--person', '1'];
const REPLAY = ['replay'];

/** Adds a title to each command. */
const named = (commands: readonly string[][]): [string, string[]][] => commands.map((args) => [args.join(' '), args]);

/** The finding of a check of `tidemark doctor --json`. */
function finding(stdout: string, check: string): { state: string; message: string; todo: string } {
  const found = (JSON.parse(stdout) as { check: string; state: string; message: string; todo: string }[]).find(
    (one) => one.check === check,
  );
  if (found === undefined) throw new Error(`no check ${check} in ${stdout}`);
  return found;
}

/** Runs the command that a message gives in backticks. */
async function obey(lab: DiskLab, message: string): Promise<void> {
  const [, command = ''] = /`tidemark ([^`]+)`/.exec(message) ?? [];
  expect(await lab.tidemark(command.split(' ')), message).toMatchObject({ code: 0 });
}

/** State of the warehouse file, how it comes about, and the commands that need the file. */
const WAREHOUSES: [string, (lab: DiskLab) => unknown, string[][]][] = [
  [
    'with flipped bytes in rows about models',
    (lab) => flipBlockOf(lab.file(WAREHOUSE), 'FROM base.models'),
    [APPLY, DOCTOR, ['models', 'plan']],
  ],
  [
    'with flipped bytes in its headers',
    (lab) => [4_100, 8_200].forEach((at) => flip(lab.file(WAREHOUSE), at)),
    [PUBLISH, COMPACT, APPLY, ROLLBACK, FORGET, DOCTOR, ['models', 'history']],
  ],
  ['with flipped bytes in its last block', (lab) => flip(lab.file(WAREHOUSE), -200_000), [DOCTOR]],
  [
    'cut in half',
    (lab) => truncateSync(lab.file(WAREHOUSE), statSync(lab.file(WAREHOUSE)).size / 2),
    [PUBLISH, COMPACT, FORGET, DOCTOR],
  ],
  ['of zero bytes', (lab) => truncateSync(lab.file(WAREHOUSE), 0), [PUBLISH, APPLY, DOCTOR]],
  [
    'that is another file',
    (lab) => writeFileSync(lab.file(WAREHOUSE), 'not a database\n'.repeat(10_000)),
    [PUBLISH, DOCTOR],
  ],
  ['with the log of another database', (lab) => foreignLog(lab.file(WAREHOUSE)), [PUBLISH, COMPACT, DOCTOR]],
];

describe.each(WAREHOUSES)('a warehouse %s', (_, damage, commands) => {
  const lab = useLab(damage);
  let advice: string;

  it.each(named(commands))('is named by `%s` with the repair', async (_name, args) => {
    const { code, stdout, stderr } = await lab().tidemark(args);
    const said = args[0] === 'doctor' ? Object.values(finding(stdout, 'warehouse')).join('\n') : stderr;
    expect(code).toBe(1);
    expect(said).toMatch(/fail\n.*tidemark\.duckdb is damaged: |error: .*tidemark\.duckdb is damaged: /);
    expect(said).toContain('`tidemark replay`');
    advice = said;
  });

  it('is made again as the messages say', async () => {
    await obey(lab(), advice);
    await readOnly(lab().file(WAREHOUSE), readWholly);
    for (const args of commands) {
      const { code, stdout, stderr } = await lab().tidemark(args);
      if (args[0] === 'doctor') expect(finding(stdout, 'warehouse').state).toBe('ok');
      // The history of the sets of models was only in the old file.
      else if (args === ROLLBACK) expect([code, stderr]).toEqual([2, expect.stringContaining('Cannot roll back')]);
      else expect({ args, code, stderr }).toMatchObject({ code: 0 });
    }
  });
});

describe('a warehouse with a damaged block that no command needs', () => {
  const lab = useLab((one) => flip(one.file(WAREHOUSE), -200_000));
  const readAll = (file: string): Promise<void> => readOnly(file, readWholly);

  it('is published for up to a week, and made again by a removal', async () => {
    expect(await lab().tidemark(PUBLISH)).toMatchObject({ code: 0 });
    await expect(readAll(lab().file(WAREHOUSE))).rejects.toThrow('is damaged');
    expect(await lab().tidemark(FORGET)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('✔ removed') as string,
    });
    for (const file of [lab().file(WAREHOUSE), published(lab())]) await readAll(file);
  });
});

const SQL = ['sql', '--format', 'csv', 'SELECT count(DISTINCT name) FROM core.companies'];

const BUILDS: [string, (lab: DiskLab) => unknown, string[][]][] = [
  ['with flipped bytes in rows', (lab) => flipBlockOf(published(lab), 'FROM core.companies'), [SQL, DOCTOR]],
  [
    'with flipped bytes in its headers',
    (lab) => [4_100, 8_200].forEach((at) => flip(published(lab), at)),
    [SQL, ['runs'], ['coverage'], ['rejects'], DOCTOR],
  ],
  ['cut in half', (lab) => truncateSync(published(lab), statSync(published(lab)).size / 2), [['runs'], DOCTOR]],
  ['of zero bytes', (lab) => truncateSync(published(lab), 0), [['runs'], DOCTOR]],
];

describe.each(BUILDS)('a published file %s', (_, damage, commands) => {
  const lab = useLab(damage);
  let advice: string;

  it.each(named(commands))('is named by `%s` with the repair', async (_name, args) => {
    const { code, stdout, stderr } = await lab().tidemark(args);
    const said = args[0] === 'doctor' ? Object.values(finding(stdout, 'published')).join('\n') : stderr;
    expect(code).toBe(1);
    expect(said).toMatch(/fail\n.*market\.duckdb is damaged|error: .*market\.duckdb is damaged/);
    expect(said).toContain('`tidemark publish`');
    advice = said;
  });

  it('is made again as the messages say', async () => {
    await obey(lab(), advice);
    for (const args of commands) {
      const { code, stdout } = await lab().tidemark(args);
      if (args[0] === 'doctor') expect(finding(stdout, 'published').state).toBe('ok');
      else expect({ args, code }).toMatchObject({ code: 0 });
    }
  });

  it('does not stop a replay', async () => {
    await damage(lab());
    expect(await lab().tidemark(REPLAY)).toMatchObject({ code: 0 });
    expect(await lab().tidemark(SQL)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\b50\b/) as string });
  });
});

const WRITERS = [PUBLISH, REPLAY, COMPACT, FORGET, APPLY, ROLLBACK, ['publish', '--to', 'PREVIOUS'], ['worker']];

const UNWILLING: [string, Disk, boolean, RegExp][] = [
  [
    'mounted read-only',
    READ_ONLY,
    mayMount,
    /error: The disk is mounted read-only, so Tidemark cannot write \/.*data.*EROFS.*\n.*Mount it writable/,
  ],
  [
    'of another user',
    NOT_MINE,
    mayBeNobody,
    /error: This user has no permission for \/.*data.*(EACCES|EPERM).*\n.*chown/,
  ],
  ['without space', FULL, mayMount, /error: No space left to write \/.*data.*\n.*Free space on that disk/],
];

describe.each(UNWILLING)('a disk %s', (_, disk, possible, message) => {
  const lab = useLab(({ dir }) => execFileSync('chmod', ['-R', 'a+rX', dir]));

  it.skipIf(!possible).each(named(WRITERS))('ends `%s` with cause, place and remedy', async (_name, args) => {
    const { code, stderr } = await lab().tidemark(args, disk);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
  });

  it.skipIf(!possible)('is named by doctor', async () => {
    const { state, message: said } = finding((await lab().tidemark(DOCTOR, disk)).stdout, 'disk');
    expect([state, said]).toEqual(
      disk === FULL ? ['warn', expect.stringContaining('free')] : ['fail', expect.stringMatching(/EROFS|EACCES/)],
    );
  });

  it.skipIf(!possible)('does no harm: each command works when the disk does', async () => {
    for (const args of WRITERS.filter(([name]) => name !== 'worker'))
      expect({ args, ...(await lab().tidemark(args)) }).toMatchObject({ code: 0 });
  });
});

/** Small files that a process can make again, or that a person must restore. */
const OTHERS: [string, (lab: DiskLab) => unknown, string[], number, RegExp][] = [
  [
    'the link `current` leads nowhere',
    (lab) => rmSync(path.dirname(published(lab)), { recursive: true }),
    PUBLISH,
    0,
    /published/,
  ],
  ['`current` is lost', (lab) => rmSync(lab.file('published/current')), PUBLISH, 0, /published/],
  [
    '`build.json` of the current build is garbage',
    (lab) => writeFileSync(path.join(path.dirname(published(lab)), 'build.json'), '\0\0'),
    PUBLISH,
    0,
    /published/,
  ],
  [
    'the warehouse file is lost',
    (lab) => rmSync(lab.file(WAREHOUSE)),
    PUBLISH,
    1,
    /no warehouse beside .*\n.*`tidemark replay`/,
  ],
  [
    'the warehouse is a folder',
    (lab) => (rmSync(lab.file(WAREHOUSE)), mkdirSync(lab.file(WAREHOUSE))),
    REPLAY,
    1,
    /folder instead of a file.*tidemark\.duckdb.*\n.*Move it/,
  ],
  [
    '`folder.json` is garbage',
    (lab) => writeFileSync(lab.file('folder.json'), '\0\0'),
    ['worker'],
    1,
    /folder\.json: it contains no valid id/,
  ],
  ['a landed part is cut', (lab) => truncateSync(partOf(lab), 10), REPLAY, 1, /unreadable .*part-.* has 10 bytes/],
  ['a landed part has flipped bytes', (lab) => flip(partOf(lab), 50), REPLAY, 1, /unreadable .*part-.*SHA-256/],
];

const partOf = (lab: DiskLab): string =>
  execFileSync('find', [lab.file('landing/prospecting'), '-name', '*.parquet'], { encoding: 'utf8' }).trim();

describe('when', () => {
  it.each(OTHERS)('%s, the command ends with a clear result', async (_, damage, args, code, message) => {
    const lab = new DiskLab(prepared);
    damage(lab);
    const done = await lab.tidemark(args);
    lab.remove();
    expect(done.stdout + done.stderr).toMatch(message);
    expect(done.code).toBe(code);
  });
});
