import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { currentBuild, listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { runCli } from '../../../helpers/run-cli.js';
import { marketNight, prepareBuilt, prepareOnce } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const prepared = prepareOnce(async (dataDir) => {
  await prepareBuilt(dataDir, marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2, 3] }));
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await publish(warehouse, dataDir, { run: 'r1', now: new Date('2026-11-20T04:00:00Z') });
  } finally {
    await warehouse.close();
  }
});

/** A data folder with a build, and a configuration that copies builds to the folder `shared` next to it. */
function project(to = 'shared'): {
  dataDir: string;
  shared: string;
  run: (...args: string[]) => ReturnType<typeof runCli>;
} {
  const dataDir = prepared();
  const cwd = path.join(dataDir, 'config');
  mkdirSync(cwd);
  writeFileSync(
    path.join(cwd, 'tidemark.yaml'),
    `api: { baseUrl: 'http://127.0.0.1:1' }\ndata: ..\npublish: { to: ${to} }\n`,
  );
  return {
    dataDir,
    shared: path.join(cwd, 'shared'),
    run: (...args) => runCli(args, { cwd, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } }),
  };
}

it('copies each publication to the folder of publish.to', async () => {
  const { dataDir, shared, run } = project();
  const { code, stdout } = await run('publish');
  expect(stdout).toContain(`✔ ${shared} has build ${currentBuild(dataDir)}`);
  expect(code).toBe(0);
  expect(readdirSync(shared).toSorted()).toEqual(['current.json', 'lease.json', expect.stringMatching(/^v=/)]);
  const again = await run('publish', '--copy', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    copied: { to: shared, build: currentBuild(dataDir), sent: { files: 0 } },
    copyFault: null,
  });
});

it('follows a switch to an earlier build, and removes replaced versions on request', async () => {
  const { dataDir, shared, run } = project();
  await run('publish', '--copy');
  await run('publish');
  const [newest, first] = listBuilds(dataDir).map(({ name }) => name);
  expect((await run('publish', '--to', 'PREVIOUS')).stdout).toContain(`✔ ${shared} has build ${first}`);
  await run('publish', '--copy', '--prune');
  const left = readdirSync(shared, { recursive: true }).filter((file) => String(file).endsWith('market.duckdb'));
  expect(left).toEqual([expect.stringContaining(first ?? '')]);
  expect(newest).not.toBe(first);
});

it('keeps the publication if the copy fails, and reports the fault', async () => {
  const { dataDir, shared, run } = project();
  writeFileSync(shared, 'no folder');
  const { code, stdout, stderr } = await run('publish');
  expect(code).toBe(1);
  expect(stdout).toContain('✔ published');
  expect(stderr).toContain('✖ The build is published here, but was not copied to shared:');
  expect((await run('status')).stdout).toMatch(/Copied {5}.*shared: no build, tried .* ago\n +! /);
  rmSync(shared);
  expect((await run('publish', '--copy')).code).toBe(0);
  expect((await run('status')).stdout).toMatch(/Copied {5}.*shared: the current build/);
  expect(listBuilds(dataDir)).toHaveLength(2);
});

it('names the variables of a bucket without credentials', async () => {
  const { run } = project('s3://my-bucket/tidemark');
  const { code, stderr } = await run('publish', '--copy');
  expect(code).toBe(1);
  expect(stderr).toContain('There are no credentials for the bucket. Set AWS_ACCESS_KEY_ID');
});

it.each([
  [['publish', '--copy', '--list'], '--copy cannot be combined'],
  [['publish', '--prune'], '--prune needs --copy'],
])('refuses %j', async (args, message) => {
  const { run } = project();
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

it.each(['s3://Bucket/x', 'gs://bucket/x', 's3://bucket/x?key=1'])('refuses publish.to: %s', async (to) => {
  const { run } = project(to);
  expect((await run('publish', '--list')).stderr).toContain('must be s3://<bucket>/<prefix> or a folder');
});
