import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';
import {
  compileFiles,
  installPackage,
  npm,
  runNode,
  startNode,
  writeDocs,
  type InstalledPackage,
} from '../helpers/installed-package.js';
import { ROOT } from '../helpers/processes.js';
import { startTemporal } from '../helpers/temporal.js';

// Runs the installed package on each supported version of Node, which comes from the npm registry.
let tidemark: InstalledPackage;
let temporal: TestWorkflowEnvironment;
let programs: string[];
let server: string;

beforeAll(async () => {
  tidemark = installPackage();
  programs = writeDocs(tidemark.folder);
  await compileFiles(
    tidemark.folder,
    programs.map((name) => `${name}.ts`),
    ['--skipLibCheck'],
  );
  temporal = await startTemporal();
  server = (await ensureTemporalCli({ log: () => undefined })).path;
});
afterAll(async () => {
  await temporal?.teardown();
  tidemark?.remove();
});

// The oldest supported version, and the newest of each line.
const OLDEST = '20.18.1';

it('tries the oldest version that package.json allows', () => {
  const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  expect(engines.node).toBe(`>=${OLDEST}`);
});

describe.each([OLDEST, '20', '22', '24'])('on Node %s', (version) => {
  let node: string;
  let folder: string;
  beforeAll(() => {
    folder = path.join(tidemark.folder, `node-${version}`);
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    const name = `node-${process.platform}-${process.arch}`;
    npm(folder, 'install', `${name}@${version}`, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund');
    node = path.join(folder, 'node_modules', name, 'bin', 'node');
  });

  it('runs the demo and reports with doctor', async () => {
    const env = { TEMPORAL_CLI_PATH: server };
    expect(await runNode(node, folder, ['--version'])).toMatch(new RegExp(`^v${version}\\b`));
    expect(await runNode(node, folder, [tidemark.bin, 'demo', '--once'], env)).toContain('market.duckdb');
    expect(await runNode(node, folder, [tidemark.bin, 'sql', 'select 41 + 1 as answer'], env)).toContain('42');
  });

  it('runs sandbox, worker and doctor, and the programs of docs/client.md', async () => {
    const own = path.join(folder, 'own');
    mkdirSync(own);
    const sandboxArgs = [tidemark.bin, 'sandbox', '--port', '0', '--companies', '30', '--tenders', '1'];
    const sandbox = await startNode(node, own, sandboxArgs, { env: {}, ready: /^\{"sandbox"/ });
    const { sandbox: url, key } = JSON.parse(sandbox.line) as { sandbox: string; key: string };
    writeFileSync(path.join(own, 'tidemark.yaml'), `api: { baseUrl: '${url}' }\nmarkets: [{ name: demo }]\n`);
    const env = {
      TIDEMARK_API_URL: url,
      TIDEMARK_API_KEY: key,
      TEMPORAL_ADDRESS: temporal.address,
      TIDEMARK_CONFIG: path.join(own, 'tidemark.yaml'),
    };
    const worker = await startNode(node, own, [tidemark.bin, 'worker'], { env, ready: /^worker ready/ });
    try {
      const report = await runNode(node, own, [tidemark.bin, 'doctor'], env).catch((error: Error) => error.message);
      expect(report).toMatch(/Temporal/i);
      const request = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const body = JSON.stringify({ api_key: key, page: 1, per_page: 5 });
      expect(await (await fetch(`${url}/api/prospecting`, { ...request, body })).json()).toHaveProperty('data');
      expect((await fetch(`${url}/docs/static/swagger-ui.css`)).status).toBe(200);
      const outputs = [];
      for (const name of programs)
        outputs.push(await runNode(node, tidemark.folder, [path.join(tidemark.folder, `${name}.js`)], env));
      expect(outputs.at(-1)).toMatch(/^complete 30 \d+$/m);
    } finally {
      for (const { child } of [worker, sandbox]) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        await ended;
      }
    }
  });
});
