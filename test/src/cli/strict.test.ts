import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunResult } from '../../../schemas/pipeline/run.js';
import { registerBackfill } from '../../../src/cli/runs/backfill.js';
import { registerEnrich } from '../../../src/cli/lists/enrich.js';
import { registerOwners } from '../../../src/cli/lists/owners.js';
import { registerPayees } from '../../../src/cli/payees/payees.js';
import { registerResolve } from '../../../src/cli/lists/resolve.js';
import { registerSnapshot } from '../../../src/cli/runs/snapshot.js';
import { registerTenders } from '../../../src/cli/runs/tenders.js';
import { registerWatch } from '../../../src/cli/watch/watch.js';

// Replaces Temporal by a run that ends at once with this result.
let result: Partial<RunResult>;
vi.mock(import('../../../src/temporal/connect-folder.js'), () => ({
  connectForFolder: () => Promise.resolve({ client: {}, folder: null, close: () => Promise.resolve() } as never),
}));
vi.mock(import('../../../src/temporal/runs/start-run.js'), () => ({
  startOrJoin: () => Promise.resolve({ handle: { workflowId: 'w' }, joined: false, startedAt: null } as never),
}));
vi.mock(import('../../../src/temporal/runs/follow-run.js'), () => ({
  followRun: () => Promise.resolve({ result } as never),
}));
vi.mock(import('../../../src/cli/status/other-folder.js'), () => ({
  otherFolder: () => null,
  folderOf: () => Promise.resolve(null as never),
  workerWarnings: () => Promise.resolve([]),
}));

const PARTIAL: Partial<RunResult> = { outcome: 'partial', incomplete: false, heldBack: null, refused: [] };

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tidemark-strict-'));
  writeFileSync(
    path.join(dir, 'tidemark.yaml'),
    `api: { baseUrl: 'http://127.0.0.1:1' }\ndata: ./data\nmarkets: [{ name: m, filters: {}, streams: [companies, ownership] }]\n`,
  );
  writeFileSync(path.join(dir, 'list.csv'), 'name\nA\n');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(dir, { recursive: true, force: true });
});

/** Exit code of a command whose run ends with this result. */
async function exitCode(args: string[], ends: Partial<RunResult>): Promise<number | string | undefined> {
  result = ends;
  process.exitCode = undefined;
  const program = new Command().option('--config <file>');
  const commands = [registerBackfill, registerEnrich, registerOwners, registerPayees, registerResolve];
  for (const register of [...commands, registerSnapshot, registerTenders, registerWatch]) register(program);
  await program.parseAsync(['--config', path.join(dir, 'tidemark.yaml'), ...args, '--json'], { from: 'user' });
  const { exitCode: code } = process;
  process.exitCode = undefined;
  return code ?? 0;
}

describe.each([
  ['snapshot', () => ['snapshot']],
  ['tenders', () => ['tenders']],
  ['watch sync', () => ['watch', 'sync']],
  ['owners enrich', () => ['owners', 'enrich']],
  ['resolve', () => ['resolve', path.join(dir, 'list.csv')]],
  ['backfill', () => ['backfill', '--from', '2026-01-01', '--to', '2026-01-02', '--streams', 'watch_events']],
])('tidemark %s', (_, args) => {
  test('exits with 0 after a partial run, with 1 under --strict', async () => {
    expect(await exitCode(args(), PARTIAL)).toBe(0);
    expect(await exitCode([...args(), '--strict'], PARTIAL)).toBe(1);
    expect(await exitCode([...args(), '--strict'], { ...PARTIAL, outcome: 'complete' })).toBe(0);
  });
});

test.each([
  [['resolve'], 'list.matched.csv', 'A;DE89370400440532013000;;;;;;unanswered;'],
  [['enrich'], 'list.enriched.csv', 'A;DE89370400440532013000;;'],
  [['payees', 'check'], 'list.checked.csv', 'A;DE89370400440532013000;;;;no answer yet'],
])('tidemark %s writes the result of a stopped run although nothing is published', async (command, file, expected) => {
  writeFileSync(path.join(dir, 'list.csv'), 'name;iban\nA;DE89370400440532013000\n');
  expect(await exitCode([...command, path.join(dir, 'list.csv')], { ...PARTIAL, outcome: 'stopped' })).toBe(1);
  expect(readFileSync(path.join(dir, file), 'utf8')).toContain(`\r\n${expected}`);
});

describe('exit code without --strict', () => {
  test.each<[string, Partial<RunResult>]>([
    ['that is incomplete', { incomplete: true }],
    ['that is held back', { heldBack: 'too few rows' }],
    ['that was stopped', { outcome: 'stopped' }],
    ['with a refused stream', { refused: [{ stream: 'financials' }] as RunResult['refused'] & object }],
  ])('exits with 1 without --strict after a run %s', async (_, ends) => {
    expect(await exitCode(['snapshot'], { ...PARTIAL, ...ends })).toBe(1);
  });

  test.each([
    ['lookup lists', { stream: 'nomenclatures' }],
    ['contact metrics', { stream: 'contact_metrics' }],
    ['a route that another route replaced', { stream: 'executives', replacedBy: 'POST /v1/finder/executives' }],
  ])('exits with 0 if the API refused only %s', async (_, refusal) => {
    const refused = [refusal] as RunResult['refused'] & object;
    expect(await exitCode(['snapshot'], { ...PARTIAL, outcome: 'complete', refused })).toBe(0);
  });
});
