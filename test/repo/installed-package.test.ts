import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from './project-files.js';

// Packs Tidemark as `npm publish` would, installs it in an empty folder and uses it there, as a user's project does.
const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-installed-'));
const installed = path.join(folder, 'node_modules', 'tidemark');

beforeAll(() => {
  npm(ROOT, 'pack', '--pack-destination', folder);
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  npm(folder, 'install', archive, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('contains neither tests nor settings of a developer', () => {
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  expect(files).toContain(path.join('dist', 'workflow-bundle.js'));
  expect(files).toContain('tidemark.schema.json');
  const unwanted = /\.test\.|(^|\/)tidemark\.yaml$|\.env|tsconfig|^(bench|data|reports|src)\/|(?<!\.d)\.ts$/;
  expect(files.filter((name) => unwanted.test(name))).toEqual([]);
});

it('runs the command line', () => {
  expect(tidemark('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(tidemark('--help')).toContain('snapshot');
});

// The program is checked against the declarations of the package: an option that does not exist is an error.
it('exports client, sandbox and workflows with types', () => {
  writeFileSync(
    path.join(folder, 'use.ts'),
    `import { createApiClient, TokenVerificationError } from 'tidemark/client';
import { startSandbox } from 'tidemark/sandbox';
import { CRAWL_QUEUE, snapshotId, type MarketSnapshotInput, type RunResult } from 'tidemark/workflows';

const sandbox = await startSandbox({ companies: 20, tenders: 1 });
const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key });
const { data } = await client.v2.prospecting({ per_page: 10 });
// @ts-expect-error -- no such option
export const wrong = () => startSandbox({ companes: 20 });
const stranger = createApiClient({ baseUrl: sandbox.url, apiKey: 'not-the-key', maxRetries: 0 });
const refused = await stranger.v2.metrics().catch((error: unknown) => error instanceof TokenVerificationError);
await Promise.all([client.close(), stranger.close(), sandbox.close()]);

const input: MarketSnapshotInput = { market: 'demo' };
const outcome = (result: RunResult): string => result.outcome;
console.log(data.data.length, refused, CRAWL_QUEUE, snapshotId(input.market ?? '', '2026-11-22'), typeof outcome);
`,
  );
  const types = path.join(ROOT, 'node_modules', '@types');
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--types', 'node', '--typeRoots', types];
  run(folder, path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), ...options, 'use.ts');
  expect(run(folder, 'use.js').trim()).toBe('10 true tidemark-crawl snapshot/demo/2026-11-22 function');
});

function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, encoding: 'utf8', shell: process.platform === 'win32', stdio: 'pipe' });
}

function tidemark(...args: string[]): string {
  return run(folder, path.join(installed, 'bin', 'tidemark.mjs'), ...args);
}

function run(cwd: string, ...args: string[]): string {
  try {
    return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
