import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findFaults, notesOf } from '../../bootstrap/release.mjs';
import { ROOT } from '../helpers/processes.js';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.0] - 2026-11-01

### Added

- A feature.

## [1.1.0] - 2026-10-01

- Something older.
`;
const READY = { version: '1.2.0', locked: '1.2.0', changelog: CHANGELOG, tag: 'v1.2.0', changes: '' };

describe('findFaults', () => {
  it('accepts a release whose versions and changelog agree', () => {
    expect(findFaults(READY)).toEqual([]);
    expect(findFaults({ ...READY, tag: undefined })).toEqual([]);
  });

  it.each([
    ['another version in the lockfile', { locked: '1.1.0' }, /package-lock\.json has version 1\.1\.0/],
    ['a lockfile without version', { locked: undefined }, /package-lock\.json has version \(none\)/],
    ['a tag of another version', { tag: 'v1.1.0' }, /The tag is v1\.1\.0/],
    ['changed files', { changes: ' M src/cli/cli.ts\n' }, /without a commit:\n M src\/cli\/cli\.ts$/],
    [
      'a version without notes',
      { version: '1.3.0', locked: '1.3.0', tag: 'v1.3.0' },
      /no entries under "## \[1\.3\.0\]/,
    ],
    [
      'unreleased entries',
      { changelog: CHANGELOG.replace('## [Unreleased]\n', '## [Unreleased]\n\n- New.\n') },
      /Move them/,
    ],
  ])('finds %s', (_, change, fault) => {
    const faults = findFaults({ ...READY, ...change });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });
});

it('reads the notes of one version', () => {
  expect(notesOf(CHANGELOG, '1.2.0')).toBe('### Added\n\n- A feature.');
  expect(notesOf(CHANGELOG, '1.1.0')).toBe('- Something older.');
  expect(notesOf(CHANGELOG, 'Unreleased')).toBe('');
});

describe('.github', () => {
  const read = (file: string): unknown => parse(readFileSync(path.join(ROOT, '.github', file), 'utf8'));

  it('runs .ci/run on the oldest supported Node and each newer long-term version', () => {
    const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(read('workflows/ci.yml')).toMatchObject({
      jobs: {
        test: {
          strategy: { matrix: { node: [engines.node.replace('>=', ''), '22', '24'] } },
          steps: expect.arrayContaining([{ run: '.ci/run' }]) as unknown,
        },
      },
    });
  });

  it('gives workflows no right to write, except the release', () => {
    for (const file of ['ci.yml', 'release.yml'])
      expect(read(`workflows/${file}`)).toMatchObject({ permissions: { contents: 'read' } });
  });

  it('updates packages, images and actions', () => {
    const { updates } = read('dependabot.yml') as { updates: { 'package-ecosystem': string }[] };
    expect(updates.map((update) => update['package-ecosystem'])).toEqual([
      'npm',
      'docker',
      'docker-compose',
      'github-actions',
    ]);
  });
});
