import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSandbox, type RunningSandbox } from '../helpers/processes.js';
import { configuration } from './known-values.js';

/*
 * `npm run sandbox:fuzz [-- examples per route]`: schemathesis generates valid and invalid requests from /openapi.json
 * and checks each answer. An undescribed status, content type or body fails the run, as does any 5xx. Ids that cause a
 * 5xx on purpose (900000500 …) are in no list of values.
 */

const MARKET = { companies: 500, tenders: 50, seed: 7, date: '2026-11-20' };
const VERSION = '4.32.5';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
];

async function main(examples: number): Promise<number> {
  const command = findCommand();
  if (command === null) {
    process.stderr.write(
      `schemathesis was not found. It is a Python program: install it with\n\n` +
        `  pip install schemathesis==${VERSION}      (or: pipx install schemathesis==${VERSION})\n\n` +
        `and start again, or name the executable in SCHEMATHESIS.\n`,
    );
    return 2;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-fuzz-'));
  const sandbox = await startSandbox({
    companies: 500,
    tenders: 50,
    seed: 7,
    date: '2026-11-20',
    'job-milliseconds': 1,
  });
  try {
    const file = path.join(folder, 'schemathesis.toml');
    writeFileSync(file, await configuration(sandbox, MARKET));
    const code = await run(command, file, sandbox, examples, folder);
    return (await demandNoFaults(sandbox)) ? code : 1;
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true });
  }
}

function findCommand(): string | null {
  const names = [process.env['SCHEMATHESIS'], 'schemathesis', 'st'].filter((name) => name !== undefined);
  return (
    names.find((name) => /schemathesis/i.test(spawnSync(name, ['--version'], { encoding: 'utf8' }).stdout ?? '')) ??
    null
  );
}

async function run(
  command: string,
  file: string,
  sandbox: RunningSandbox,
  examples: number,
  folder: string,
): Promise<number> {
  const args = ['--config-file', file, 'run', `${sandbox.url}/openapi.json`];
  args.push('--header', `Authorization: Token ${sandbox.key}`, '--checks', CHECKS.join(','));
  args.push('--phases', 'coverage,fuzzing', '--max-examples', String(examples), '--continue-on-failure');
  // Runs in a temporary folder, because it writes a database of examples.
  const child = spawn(command, args, { cwd: folder, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Asks the sandbox for its statuses: none may be a 5xx. */
async function demandNoFaults(sandbox: RunningSandbox): Promise<boolean> {
  const response = await fetch(`${sandbox.url}/_sandbox/requests`);
  const { total, statuses } = (await response.json()) as { total: number; statuses: Record<string, number> };
  process.stdout.write(`\nThe sandbox answered ${total} requests: ${JSON.stringify(statuses)}\n`);
  return Object.keys(statuses).every((status) => status < '500');
}

process.exitCode = await main(Number(process.argv[2] ?? 50));
