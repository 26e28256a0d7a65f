import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demoConfig } from '../../../../src/cli/demo/demo-config.js';
import { sandboxArguments } from '../../../../src/cli/demo/sandbox-arguments.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tidemark-demo-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function configure(baseUrl: string): string {
  const file = path.join(dir, 'tidemark.yaml');
  writeFileSync(file, `api: { baseUrl: '${baseUrl}' }\nmarkets: [{ name: mine }]\n`);
  return file;
}

describe('demoConfig', () => {
  it('uses a configuration for a sandbox unchanged', () => {
    const { config, note } = demoConfig(configure('http://127.0.0.1:4010'), {});
    expect(config.dataDir).toBe(path.join(dir, 'data'));
    expect(note).toBeNull();
  });

  it('stores sandbox data apart from real data', () => {
    const { config, note } = demoConfig(configure('https://api.example.com'), {});
    expect(config.dataDir).toBe(path.join(dir, 'data', 'demo'));
    expect(note).toContain('https://api.example.com');
  });

  it('uses the data folder from TIDEMARK_DATA', () => {
    const { config } = demoConfig(configure('https://api.example.com'), { TIDEMARK_DATA: path.join(dir, 'own') });
    expect(config.dataDir).toBe(path.join(dir, 'own'));
  });
});

describe('sandboxArguments', () => {
  it("keeps the first demo's date and advances the day with each call", async () => {
    const size = { companies: 300, tenders: 20 };
    const first = await sandboxArguments(dir, size, '2026-11-20');
    expect(first.join(' ')).toBe('--companies 300 --tenders 20 --seed 7 --date 2026-11-20 --day 0');
    expect(await sandboxArguments(dir, size, '2026-11-20')).toEqual(first);
    expect((await sandboxArguments(dir, size, '2026-11-23')).join(' ')).toMatch(/--date 2026-11-20 --day 3$/);
    expect(readFileSync(path.join(dir, 'demo-began'), 'utf8')).toBe('2026-11-20\n');
  });
});
