import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listPages } from '../../docs/.vitepress/pages.mjs';
import { ROOT } from '../helpers/processes.js';

/* Builds the site of the documentation from a copy of the repository. */

let copy: string;
const dist = (...names: string[]): string => path.join(copy, 'docs', '.vitepress', 'dist', ...names);

beforeAll(async () => {
  copy = mkdtempSync(path.join(tmpdir(), 'tidemark-site-'));
  const files = [...Object.keys(listPages()), 'docs/images', 'docs/.vitepress', 'package.json', '.gitignore'];
  for (const file of files) cpSync(path.join(ROOT, file), path.join(copy, file), { recursive: true });
  for (const made of ['cache', 'dist'])
    rmSync(path.join(copy, 'docs', '.vitepress', made), { recursive: true, force: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  await run('git', ['init', '--quiet']);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function run(program: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: copy, encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

const build = async (): Promise<{ code: number; output: string }> => run('npm', ['run', 'docs:build']);

it('has every page, a search, and nothing from other servers', async () => {
  const { code, output } = await build();
  expect(code, output).toBe(0);
  const missing = Object.values(listPages()).filter((page) => !existsSync(dist(page.replace(/\.md$/, '.html'))));
  expect(missing).toEqual([]);
  const files = readdirSync(dist(), { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => /localSearchIndex.*\.js$/.test(file)).length).toBeGreaterThan(0);
  const loaded = files
    .filter((file) => /\.(html|css)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(dist(file), 'utf8');
      const tags = text.matchAll(
        /<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)="?((?:https?:)?\/\/[^" >]+)/g,
      );
      const styles = text.matchAll(/(?:@import|url\()\s*["']?((?:https?:)?\/\/[^"')]+)/g);
      return [...tags, ...styles].map(([, address]) => `${file}: ${address}`);
    });
  expect(loaded).toEqual([]);
});

it('fails at a dead link', async () => {
  appendFileSync(path.join(copy, 'docs', 'querying.md'), '\n[nowhere](no-such-page.md)\n');
  const { code, output } = await build();
  expect(code).toBe(1);
  expect(output).toMatch(/dead link/i);
});
