import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { changedAt, configChange } from '../../../src/config/config-change.js';
import { loadConfig } from '../../../src/config/config.js';

const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-config-change-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, 'tidemark.yaml');
const API = 'api: { baseUrl: "http://127.0.0.1:4010" }\n';

it('reports changed settings but not changed comments', () => {
  writeFileSync(file, API);
  const config = loadConfig(file, {});
  expect(configChange(config)).toBeNull();
  writeFileSync(file, `# a comment\n${API}`);
  expect(configChange(config)).toBeNull();
  writeFileSync(file, `${API}readers: group\n`);
  utimesSync(file, new Date('2026-11-20T02:00:00.789Z'), new Date('2026-11-20T02:00:00.789Z'));
  expect(configChange(config)).toBe(`${file} changed at 2026-11-20T02:00:00Z, after the worker started`);
  expect(changedAt(file)).toBe('2026-11-20T02:00:00Z');
});

it('reports a configuration file that is no longer readable', () => {
  writeFileSync(file, API);
  const config = loadConfig(file, {});
  rmSync(file);
  expect(configChange(config)).toMatch(
    /was readable when the worker started, but is no longer readable: The configuration file .* does not exist/,
  );
});
