import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDataFolder } from '../../src/store/file-modes.js';
import { writeSecret } from '../../src/cli/watch/secret.js';
import { cleanEnv, compiled, ROOT } from '../helpers/processes.js';
import { land } from '../helpers/warehouse.js';
import { Data } from '../../src/store/data.js';

/** Permission bits of everything under a path except links, by path relative to `root`. */
function modes(root: string, at = root): Record<string, string> {
  const stat = statSync(at);
  const own = { [path.relative(root, at) || '.']: (stat.mode & 0o777).toString(8) };
  if (!stat.isDirectory()) return own;
  const inside = readdirSync(at, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => modes(root, path.join(at, entry.name)));
  return Object.assign(own, ...inside) as Record<string, string>;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `tidemark …` with a umask. */
async function tidemark(umask: string, dir: string, args: string): Promise<string> {
  const [cli] = compiled([path.join(ROOT, 'bin', 'tidemark.mjs')]);
  const command = `umask ${umask}; exec "${process.execPath}" "${cli}" ${args}`;
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', command], { cwd: dir, env: cleanEnv({}) }, (error, stdout, stderr) =>
      error ? reject(new Error(stderr)) : resolve(stdout),
    );
  });
}

/** A project with one landed company whose folders are open to all. */
async function project(settings = ''): Promise<{ dir: string; dataDir: string }> {
  const dir = temporaryFolder();
  const dataDir = path.join(dir, 'data');
  writeFileSync(path.join(dir, 'tidemark.yaml'), `api: { baseUrl: "http://127.0.0.1:1" }\n${settings}`);
  await land(dataDir, [
    { stream: 'companies', entity: '1', body: { id: 1, name: 'A' } },
    { stream: 'companies', entity: '2', body: 'no JSON', status: 500 },
  ]);
  return { dir, dataDir };
}

describe('file modes', () => {
  /** Checks that only the owner may read the data folder. */
  const expectClosed = (dataDir: string): void => {
    const found = modes(dataDir);
    const written = Object.entries(found).filter(([name]) => /^(rejects|warehouse|published)/.test(name));
    expect(written.length).toBeGreaterThan(20);
    // Published files are never written again, not even by clients that open them for writing.
    const own = (name: string): string => (name.startsWith('published/builds/') ? '400' : '600');
    const wide = written.filter(([name, mode]) => mode !== (/\.[a-z]+$/.test(name) ? own(name) : '700'));
    // The name of a build's folder has dots.
    expect(
      wide.filter(([name, mode]) => !(mode === '700' && statSync(path.join(dataDir, name)).isDirectory())),
    ).toEqual([]);
  };

  it.each(['000', '077'])('creates the data folder for its owner only under umask %s', async (umask) => {
    const { dir, dataDir } = await project();
    await tidemark(umask, dir, 'replay --json');
    expectClosed(dataDir);
  });

  it.each([
    ['group', '710', '750', '440'],
    ['everyone', '711', '755', '444'],
  ])('opens published files to their readers: %s', async (readers, passing, folder, file) => {
    const { dir, dataDir } = await project(`readers: ${readers}`);
    chmodSync(dataDir, 0o700);
    await tidemark('077', dir, 'replay --json');
    const found = modes(dataDir);
    expect(found).toMatchObject({ '.': passing, published: folder, 'published/builds': folder, warehouse: '700' });
    const builds = Object.entries(found).filter(([name]) => name.startsWith('published/builds/'));
    expect(builds.length).toBeGreaterThan(20);
    const expected = (name: string): string => (statSync(path.join(dataDir, name)).isDirectory() ? folder : file);
    expect(builds.filter(([name, mode]) => mode !== expected(name))).toEqual([]);
  });

  it("creates files named by the user with the shell's umask, and closes the data folder", async () => {
    const { dir, dataDir } = await project();
    await tidemark('022', dir, 'replay --json');
    expectClosed(dataDir);
    await tidemark('022', dir, 'sql "SELECT name FROM core.companies" --out names.csv');
    await tidemark('027', dir, 'sql "SELECT name FROM core.companies" --out names.parquet');
    await tidemark('002', dir, 'models docs --out dictionary.md');
    expect(modes(dir)).toMatchObject({ 'names.csv': '644', 'names.parquet': '640', 'dictionary.md': '664' });
  });
});

it('closes the folders of an older data folder, except published', () => {
  const dataDir = path.join(temporaryFolder(), 'data');
  for (const name of ['landing', 'secrets', 'published']) {
    mkdirSync(path.join(dataDir, name), { recursive: true });
    chmodSync(path.join(dataDir, name), 0o755);
  }
  makeDataFolder(dataDir);
  expect(modes(dataDir)).toMatchObject({ landing: '700', secrets: '700', published: '755' });
});

it('writes the webhook secret for its owner only, even over an open file', async () => {
  const dataDir = temporaryFolder();
  mkdirSync(path.join(dataDir, 'secrets'));
  chmodSync(path.join(dataDir, 'secrets'), 0o777);
  writeFileSync(path.join(dataDir, 'secrets', 'webhook-secret'), 'old');
  chmodSync(path.join(dataDir, 'secrets', 'webhook-secret'), 0o666);
  await writeSecret(new Data(dataDir), 'new');
  expect(modes(dataDir)).toMatchObject({ secrets: '700', 'secrets/webhook-secret': '600' });
});
