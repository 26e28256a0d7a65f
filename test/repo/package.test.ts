import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findMissing } from '../../bootstrap/complete-lockfile.mjs';
import { isSupportedNode } from '../../bootstrap/check-node.mjs';
import { ROOT } from './project-files.js';

interface Manifest {
  version: string;
  engines: { node: string };
  bin: Record<string, string>;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  overrides: Record<string, string>;
}

interface Lockfile {
  lockfileVersion: number;
  packages: Record<string, { version?: string; resolved?: string; dependencies?: Record<string, string> }>;
}

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
const lockfile = JSON.parse(read('package-lock.json')) as Lockfile;
const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;

it('has the version of the latest release in CHANGELOG.md', () => {
  const [newest] = [...read('CHANGELOG.md').matchAll(/^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$/gm)].map(
    ([, name]) => name,
  );
  expect({ manifest: manifest.version, lockfile: lockfile.packages['']?.version }).toEqual({
    manifest: newest,
    lockfile: newest,
  });
});

it('pins every dependency to an exact version', () => {
  const loose = Object.entries({ ...dependencies, ...devDependencies, ...overrides }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  );
  expect(loose).toEqual([]);
});

it('explains every package and every override in docs/dependencies.md', () => {
  const [, users = '', developers = '', replaced = ''] = read('docs/dependencies.md').split(/^## .*$/m);
  const named = (section: string): string[] =>
    [...section.matchAll(/^- ([^:]*):/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
  expect(named(users).toSorted()).toEqual(Object.keys({ ...dependencies, ...optionalDependencies }).toSorted());
  expect(named(developers).toSorted()).toEqual(Object.keys(devDependencies).toSorted());
  expect(named(replaced).toSorted()).toEqual(Object.keys(overrides).toSorted());
});

it('needs no override, because npm ignores the overrides of an installed package', () => {
  expect(overrides).toEqual({});
});

it('uses one version of all Temporal packages, as the SDK requires', () => {
  const versions = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
    name.startsWith('@temporalio/'),
  );
  expect(new Set(versions.map(([, version]) => version)).size).toBe(1);
});

it('does not depend on the deprecated duckdb package', () => {
  expect(Object.keys(lockfile.packages)).not.toContain('node_modules/duckdb');
});

it('requires the same Node version as the launcher', () => {
  expect(manifest.engines.node).toBe('>=20.18.1');
  expect(['20.18.1', '20.19.0', '22.0.0', '24.11.1'].filter((version) => !isSupportedNode(version))).toEqual([]);
  expect(['18.20.8', '20.9.0', '20.18.0'].filter(isSupportedNode)).toEqual([]);
});

it('has no lifecycle scripts', () => {
  const lifecycle = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'pretest', 'posttest'];
  expect(Object.keys(manifest.scripts).filter((name) => lifecycle.includes(name))).toEqual([]);
});

it('has an executable command', () => {
  for (const file of Object.values(manifest.bin)) {
    expect(read(file)).toMatch(/^#!\/usr\/bin\/env node\n/);
    // Git stores whether a file is executable. For a file that is not yet added, the output is empty.
    expect(execFileSync('git', ['ls-files', '--stage', file], { cwd: ROOT, encoding: 'utf8' })).toMatch(/^(100755 |$)/);
  }
});

it('has a lockfile that matches package.json and names no registry', () => {
  expect(lockfile.lockfileVersion).toBe(3);
  const declared = Object.entries({ ...dependencies, ...devDependencies });
  expect(declared.filter(([name, version]) => lockfile.packages[`node_modules/${name}`]?.version !== version)).toEqual(
    [],
  );
  expect(Object.entries(lockfile.packages).filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
});

it("locks every platform's packages (if not: node bootstrap/complete-lockfile.mjs)", () => {
  expect(findMissing(lockfile.packages)).toEqual([]);
});
