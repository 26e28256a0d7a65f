import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'tidemark-usable-'));
  writeFileSync(path.join(dir, 'file'), '');
  mkdirSync(path.join(dir, 'folder'));
  symlinkSync('/proc', path.join(dir, 'kernel'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const dataDir = (data: string): string =>
  readConfig(path.join(dir, 'tidemark.yaml'), `api: { baseUrl: 'http://127.0.0.1:9' }\ndata: '${data}'\n`, {}).dataDir;

describe('the data folder', () => {
  it.each(['./folder', './missing', './missing/deep/er', './folder/missing'])('may be %s', (data) => {
    expect(dataDir(data)).toBe(path.join(dir, data));
  });

  it.skipIf(process.platform !== 'linux').each([
    ['./file', /is a file/],
    ['./file/below', /file is a file/],
    ['./file/below/deep', /file is a file/],
    ['/proc/tidemark', /\/proc belongs to the kernel/],
    ['/proc/tidemark/deep', /\/proc belongs to the kernel/],
    ['/proc/self/tidemark', /\/proc\/self belongs to the kernel/],
    ['/proc/1/fd/x', /belongs to the kernel/],
    ['/sys/tidemark/deep', /\/sys belongs to the kernel/],
    ['/dev/null/x', /\/dev\/null is a file/],
    ['./kernel/tidemark/deep', /kernel belongs to the kernel/],
    ['./why?/x', /contains a "\?"/],
  ])('cannot be %s, and the error comes at once', (data, message) => {
    expect(() => dataDir(data)).toThrow(message);
  });
});
