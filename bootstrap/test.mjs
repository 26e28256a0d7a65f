import './check-node.mjs';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canLint } from './can-lint.mjs';
import { cacheFolder } from './cache.mjs';
import { ensurePackages, projectRoot } from './packages.mjs';
import { cachedName, ensureTemporalCli } from './temporal.mjs';
import { countTests } from './vitest-report.mjs';

// `npm test`: installs missing packages and the Temporal CLI, checks types and lint, and runs all tests.
//
// The last line is `N passed, N failed`. Types and lint count as one test each. Every other error counts as a failed
// test, so a crash never looks like success.
//
// The last line also counts skipped tests. With `CI` set, the line before it counts them instead, because tools in CI
// expect only the two numbers.

const root = projectRoot();
const totals = { passed: 0, failed: 0, skipped: 0 };

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  totals.failed++;
}
finish();

async function main() {
  // The CLI may have to be downloaded or built. Meanwhile, install packages and check.
  const temporal = temporalCliPath();
  try {
    await ensurePackages({ root, log: (line) => console.log(line) });
    await checkSources();
  } finally {
    await temporal;
  }
  await runVitest({ ...process.env, TEMPORAL_CLI_PATH: await temporal });
}

async function checkSources() {
  await check('Types', [
    ['typescript', 'bin/tsc', '-p', '.'],
    ['typescript', 'bin/tsc', '-p', 'workflows'],
  ]);
  if (canLint(process.versions.node))
    await check('Lint', [['oxlint', 'bin/oxlint', '--type-aware', '--deny-warnings']]);
  else
    console.log(`Lint: skipped, because the linter needs Node.js 20.19 or newer and this is ${process.versions.node}`);
}

/**
 * Returns the path of the Temporal CLI. If there is no CLI, counts one failed test and returns a path that does not
 * exist. Tests that need the CLI then fail at once, and all other tests still run.
 */
async function temporalCliPath() {
  try {
    const cli = await ensureTemporalCli({ log: (line) => console.log(line) });
    console.log(`Temporal CLI ${cli.version} (${cli.source})`);
    return cli.path;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    totals.failed++;
    return path.join(cacheFolder(), cachedName());
  }
}

/**
 * Runs tools of node_modules one after the other and counts all of them together as one test.
 *
 * @param {string} name
 * @param {[pkg: string, script: string, ...args: string[]][]} commands
 */
async function check(name, commands) {
  let ok = true;
  for (const [pkg, script, ...args] of commands) ok = (await run(toolPath(pkg, script), args, process.env)) === 0 && ok;
  console.log(`${name}: ${ok ? 'passed' : 'failed'}`);
  totals[ok ? 'passed' : 'failed']++;
}

/** @param {NodeJS.ProcessEnv} env */
async function runVitest(env) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tidemark-test-'));
  try {
    const report = path.join(folder, 'report.json');
    const args = [
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...process.argv.slice(2),
    ];
    const code = await run(toolPath('vitest', 'vitest.mjs'), args, env);
    const counted = countTests(readIfThere(report), code);
    totals.passed += counted.passed;
    totals.failed += counted.failed;
    totals.skipped += counted.skipped;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} pkg
 * @param {string} script
 */
function toolPath(pkg, script) {
  return path.join(root, 'node_modules', pkg, ...script.split('/'));
}

/**
 * Runs a Node script whose output goes to the output of this process. Passes signals to the script.
 *
 * @param {string} script
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number | null>} its exit code
 */
function run(script, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    // In a terminal, the child also gets Ctrl-C directly. So do not exit here: wait for the child and report its
    // results.
    const forward = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    child.on('error', reject);
    child.on('close', (code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    });
  });
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function finish() {
  process.exitCode = totals.failed > 0 ? 1 : 0;
  const { passed, failed, skipped } = totals;
  const result = `${passed} passed, ${failed} failed`;
  const skips = skipped > 0 ? `${skipped} skipped` : '';
  if (process.env['CI']) process.stdout.write(`${skips}${skips && '\n'}${result}\n`);
  else process.stdout.write(`${result}${skips && `, ${skips}`}\n`);
}
