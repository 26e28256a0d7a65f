import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder, readDataFolder } from '../../../src/store/folder-identity.js';
import { ROOT } from '../../helpers/processes.js';

const SCRIPT = `
  const { openDataFolder } = await import(${JSON.stringify(path.join(ROOT, 'src/store/folder-identity.ts'))});
  console.log((await openDataFolder(process.argv[1])).id);
`;

let dir: string;
let dataDir: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tidemark-folder-'));
  dataDir = path.join(dir, 'data');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the identity of a data folder', () => {
  it('finds no identity before a worker has used the data folder', () => {
    expect(readDataFolder(dataDir)).toBeNull();
  });

  it('creates the identity once, readable by the owner only', async () => {
    const made = await openDataFolder(dataDir);
    expect(made).toMatchObject({ path: dataDir, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(await openDataFolder(dataDir)).toEqual(made);
    expect(readDataFolder(dataDir)).toEqual(made);
    expect(statSync(path.join(dataDir, 'folder.json')).mode & 0o077).toBe(0);
    expect(readFileSync(path.join(dataDir, 'folder.json'), 'utf8')).toContain('Keep this file in backups');
  });

  it('gives processes that start together the same identity', async () => {
    const open = () =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', SCRIPT, dataDir], {
        cwd: ROOT,
      });
    const said = await Promise.all([open(), open(), open(), open()]);
    expect(new Set(said.map(({ stdout }) => stdout.trim())).size).toBe(1);
  });

  it.each(['', '{', '{}', '{"id": 7}'])('names the identity file that cannot be read (%j)', async (text) => {
    await openDataFolder(dataDir);
    const file = path.join(dataDir, 'folder.json');
    writeFileSync(file, text);
    expect(() => readDataFolder(dataDir)).toThrow(`Cannot read ${file}: it contains no valid id.`);
  });
});
