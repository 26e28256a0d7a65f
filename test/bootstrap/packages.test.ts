import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { completePackages, findMissing, platformOf } from '../../bootstrap/complete-lockfile.mjs';
import { hasAllPackages } from '../../bootstrap/packages.mjs';
import { bootstrapModule, runScript, tempFolder, type ScriptRun } from './helpers.js';

/** Stands in for npm: logs each call, then installs the lockfile's packages with the requested delay or failure. */
const FAKE_NPM = `
const fs = require('node:fs');
fs.appendFileSync(process.env.NPM_RUNS, process.argv.slice(2, 4).join(' ') + '\\n');
fs.mkdirSync('node_modules/a', { recursive: true });
setTimeout(() => {
  if (process.env.NPM_FAILS) { console.error('npm error network unreachable'); process.exit(7); }
  fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
}, Number(process.env.NPM_TAKES ?? 0));
`;

interface Project {
  root: string;
  setVersion: (version: string) => void;
  /** Runs `ensurePackages` in another process, which prints `installed true` or `installed false`. */
  ensure: (env?: NodeJS.ProcessEnv) => ScriptRun;
  npmRuns: () => string[];
  installed: () => string;
}

function makeProject(): Project {
  const root = tempFolder();
  const tools = tempFolder();
  const npm = path.join(tools, 'npm-cli.js');
  const runs = path.join(tools, 'runs');
  writeFileSync(npm, FAKE_NPM);
  writeFileSync(runs, '');
  writeFileSync(path.join(root, 'package.json'), '{ "bin": {} }');
  const setVersion = (version: string): void =>
    writeFileSync(
      path.join(root, 'package-lock.json'),
      JSON.stringify({ packages: { '': {}, 'node_modules/a': { version } } }),
    );
  setVersion('1.0.0');
  const script = `
    import { ensurePackages } from ${JSON.stringify(bootstrapModule('packages.mjs'))};
    try { console.log('installed ' + await ensurePackages({ root: ${JSON.stringify(root)} })); }
    catch (error) { console.log('failed: ' + error.message); }
  `;
  return {
    root,
    setVersion,
    ensure: (env = {}) => runScript(script, { ...process.env, npm_execpath: npm, NPM_RUNS: runs, ...env }),
    npmRuns: () => readFileSync(runs, 'utf8').trim().split('\n').filter(Boolean),
    installed: () => readFileSync(path.join(root, 'node_modules', '.package-lock.json'), 'utf8'),
  };
}

it('installs only if packages are missing or the lockfile changed', async () => {
  const project = makeProject();
  expect((await project.ensure().ended).output).toContain('installed true');
  expect((await project.ensure().ended).output).toContain('installed false');
  project.setVersion('1.0.1');
  expect((await project.ensure().ended).output).toContain('installed true');
  expect(project.installed()).toContain('1.0.1');
  expect(project.npmRuns()).toEqual(['ci --include=dev', 'ci --include=dev']);
  expect(readdirSync(path.join(project.root, '.bootstrap'))).toEqual([]);
});

it('accepts packages that npm ci installed by hand', async () => {
  const project = makeProject();
  mkdirSync(path.join(project.root, 'node_modules'));
  writeFileSync(
    path.join(project.root, 'node_modules', '.package-lock.json'),
    readFileSync(path.join(project.root, 'package-lock.json')),
  );
  expect((await project.ensure().ended).output).toContain('installed false');
  expect(project.npmRuns()).toEqual([]);
});

it('installs once for two processes; the second says that it waits', async () => {
  const project = makeProject();
  const runs = [project.ensure({ NPM_TAKES: '1500' }), project.ensure({ NPM_TAKES: '1500' })];
  const outputs = (await Promise.all(runs.map((run) => run.ended))).map((end) => end.output).join('');
  expect(outputs).toMatch(/being installed by another command \(process \d+ on .+\); waiting/);
  expect(outputs).toContain('installed true');
  expect(outputs).toContain('installed false');
  expect(project.npmRuns()).toHaveLength(1);
});

it("shows the end of npm's output and keeps the previous install", async () => {
  const project = makeProject();
  await project.ensure().ended;
  project.setVersion('2.0.0');
  const { output } = await project.ensure({ NPM_FAILS: '1' }).ended;
  expect(output).toMatch(
    /failed: npm could not install .*exit code 7[\s\S]*network unreachable[\s\S]*run the same command again/,
  );
  expect(project.installed()).toContain('1.0.0');
  expect((await project.ensure().ended).output).toContain('installed true');
});

it('never uses an install that was killed halfway', async () => {
  const project = makeProject();
  const victim = project.ensure({ NPM_TAKES: '2000' });
  await expect.poll(() => project.npmRuns().length, { timeout: 20_000 }).toBe(1);
  victim.child.kill('SIGKILL');
  await victim.ended;
  expect(readdirSync(project.root)).not.toContain('node_modules');
  expect((await project.ensure().ended).output).toContain('installed true');
  expect(project.installed()).toContain('1.0.0');
});

it('finds missing packages by version, ignoring optional ones and unneeded development ones', () => {
  const lock = (packages: object): string => JSON.stringify({ packages });
  const wanted = lock({
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '1.0.0', dev: true },
    'node_modules/c': { version: '1.0.0', optional: true },
  });
  const [a, b] = [{ version: '1.0.0' }, { version: '1.0.0' }];
  expect(hasAllPackages(wanted, lock({ 'node_modules/a': a, 'node_modules/b': b }), true)).toBe(true);
  expect(hasAllPackages(wanted, lock({ 'node_modules/a': a }), true)).toBe(false);
  expect(hasAllPackages(wanted, lock({ 'node_modules/a': a }), false)).toBe(true);
  expect(hasAllPackages(wanted, lock({ 'node_modules/a': { version: '0.9.0' }, 'node_modules/b': b }), true)).toBe(
    false,
  );
});

it('adds packages of other platforms to an incomplete lockfile', () => {
  const packages = {
    '': { version: '1.0.0' },
    'node_modules/tool': {
      version: '2.0.0',
      dev: true,
      optionalDependencies: { '@tool/linux-x64-musl': '2.0.0', '@tool/win32-x64': '2.0.0' },
    },
    'node_modules/@tool/win32-x64': { version: '1.0.0', optional: true },
  };
  expect(findMissing(packages).map(([, name]) => name)).toEqual(['@tool/linux-x64-musl', '@tool/win32-x64']);
  const complete = completePackages(packages);
  expect(findMissing(complete)).toEqual([]);
  expect(complete['node_modules/@tool/linux-x64-musl']).toEqual({
    version: '2.0.0',
    cpu: ['x64'],
    os: ['linux'],
    libc: ['musl'],
    dev: true,
    optional: true,
  });
  // The folder at the top level already holds another version of the package.
  expect(complete['node_modules/tool/node_modules/@tool/win32-x64']?.version).toBe('2.0.0');
  expect(completePackages(complete)).toEqual(complete);
});

it.each([
  ['@rollup/rollup-linux-arm-gnueabihf', { cpu: ['arm'], os: ['linux'], libc: ['glibc'] }],
  ['@rollup/rollup-win32-x64-gnu', { cpu: ['x64'], os: ['win32'] }],
  ['@duckdb/node-bindings-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
])('reads the platform from the package name %s', (name, platform) => {
  expect(platformOf(name)).toEqual(platform);
});
