import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/index.js';
import {
  compileFiles,
  installPackage,
  runNode,
  writeDocs,
  type InstalledPackage,
} from '../helpers/installed-package.js';

// Packs Tidemark as `npm publish` would, installs it in an empty folder and uses it there, as a user's project does.
let tidemark: InstalledPackage;
beforeAll(() => {
  tidemark = installPackage();
});
afterAll(() => tidemark?.remove());

const run = async (args: string[], env: Record<string, string> = {}): Promise<string> =>
  runNode(process.execPath, tidemark.folder, args, env);

it('contains neither tests, source maps nor settings of a developer', () => {
  const files = readdirSync(tidemark.root, { recursive: true, encoding: 'utf8' });
  expect(files).toContain(path.join('dist', 'workflow-bundle.js'));
  expect(files).toContain('tidemark.schema.json');
  expect(files).toContain(path.join('dist', 'bundle', 'cli.js'));
  expect(files).toContain(path.join('dist', 'bundle', 'licences.txt'));
  expect(files).toContain(path.join('dist', 'ui', 'index.html'));
  expect(files).toContain(path.join('dist', 'ui', 'licences.txt'));
  // Messages of the commands name this page.
  expect(files).toContain(path.join('docs', 'configuration.md'));
  const unwanted = /\.test\.|\.map$|(^|\/)tidemark\.yaml$|\.env|tsconfig|^(bench|data|reports|src)\/|(?<!\.d)\.ts$/;
  expect(files.filter((name) => unwanted.test(name))).toEqual([]);
});

it('runs the command line', async () => {
  expect(await run([tidemark.bin, '--version'])).toMatch(/^\d+\.\d+\.\d+(-rc\.\d+)?\n$/);
  expect(await run([tidemark.bin, '--help'])).toContain('snapshot');
});

// The programs are checked against the declarations of the package: an option that does not exist is an error.
it('exports client, sandbox and workflows with types, and the programs of docs/client.md run', async () => {
  writeFileSync(
    path.join(tidemark.folder, 'use.ts'),
    `import { createApiClient, TokenVerificationError, type Company, type Documented } from 'tidemark/client';
import { startSandbox } from 'tidemark/sandbox';
import { CRAWL_QUEUE, snapshotId, type Workflows } from 'tidemark/workflows';

const sandbox = await startSandbox({ companies: 20, tenders: 1 });
const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key });
const { data } = await client.v2.prospecting({ per_page: 10 });
const { data: company } = await client.v2.company(data.data[0]!.id);
const name: string | null | undefined = company.name;
const phones: string[] | null | undefined = company.company_phone;
const whole: Documented<Company> = company;
const other: unknown = company['a field that the reference does not name'];
// @ts-expect-error -- a name is no number
export const number: number = company.name;
// @ts-expect-error -- no such option
export const wrong = () => startSandbox({ companes: 20 });
// @ts-expect-error -- a backfill needs its days
export const input: Parameters<Workflows['backfill']>[0] = { market: 'demo' };
const stranger = createApiClient({ baseUrl: sandbox.url, apiKey: 'not-the-key', maxRetries: 0 });
const refused = await stranger.v2.metrics().catch((error: unknown) => error instanceof TokenVerificationError);
await Promise.all([client.close(), stranger.close(), sandbox.close()]);
console.log(data.data.length, refused, CRAWL_QUEUE, snapshotId('demo', '2026-11-22'), typeof name, phones === other, !whole);
`,
  );
  const programs = writeDocs(tidemark.folder);
  expect(programs).toHaveLength(5);
  const sources = programs.map((name) => `${name}.ts`);
  await compileFiles(tidemark.folder, ['use.ts', ...sources.slice(0, -1)]);
  // The declarations of @temporalio/client have errors of their own.
  await compileFiles(tidemark.folder, sources.slice(-1), ['--skipLibCheck']);
  expect((await run(['use.js'])).trim()).toBe('10 true tidemark-crawl snapshot/demo/2026-11-22 string false false');
  const sandbox = await startSandbox({ companies: 30, tenders: 1 });
  try {
    const env = { TIDEMARK_API_URL: sandbox.url, TIDEMARK_API_KEY: sandbox.key };
    const [all, capped, report, ownSandbox] = programs;
    expect((await run([`${all}.js`], env)).trim().split('\n').length).toBeGreaterThan(10);
    expect((await run([`${capped}.js`], env)).trim()).toBe('10 companies; hidden by the page cap: true');
    expect(await run([`${report}.js`], env)).toMatch(/^\d+\n$/m);
    expect((await run([`${ownSandbox}.js`], env)).trim()).toBe('20');
    await expect(run([`${all}.js`], { TIDEMARK_API_URL: sandbox.url })).rejects.toThrow('the API key is missing');
  } finally {
    await sandbox.close();
  }
});
