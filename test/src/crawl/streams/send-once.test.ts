import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RoutesClosedError } from '../../../../src/crawl/judge/kinds.js';
import { sendOnce } from '../../../../src/crawl/streams/send-once.js';
import { Data } from '../../../../src/store/data.js';

let data: Data;
let file: string;

beforeEach(() => {
  data = new Data(mkdtempSync(path.join(os.tmpdir(), 'tidemark-once-')));
  file = path.join(data.dataDir, 'sent', 'a-1');
});

afterEach(() => rmSync(data.dataDir, { recursive: true }));

it('records a request before it is sent, and sends it only once', async () => {
  const send = () => Promise.resolve(existsSync(file));
  expect(await sendOnce(data, file, 'first', send)).toBe(true);
  expect(await sendOnce(data, file, 'second', send)).toBeUndefined();
});

it('keeps the record if the answer is lost', async () => {
  const send = () => Promise.reject(new Error('lost'));
  await expect(sendOnce(data, file, 'first', send)).rejects.toThrow('lost');
  expect(existsSync(file)).toBe(true);
});

it('removes the record if the API surely did nothing', async () => {
  const send = () => Promise.reject(new RoutesClosedError());
  await expect(sendOnce(data, file, 'first', send)).rejects.toThrow(RoutesClosedError);
  expect(existsSync(file)).toBe(false);
});
