import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. The pages are the Markdown files below it, as git knows them. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Pages outside docs/, by their place in the repository. */
const OTHERS: Record<string, string> = {
  'README.md': 'readme.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'examples/README.md': 'examples.md',
  'sandbox/README.md': 'sandbox.md',
  'test/conformance/README.md': 'conformance.md',
};

/**
 * Returns the place of a page in the site, such as `decisions/index.md`.
 * @param file path of a Markdown file from the root of the repository
 * @returns undefined if the file is no page of the site
 */
export function pageOf(file: string): string | undefined {
  if (!file.startsWith('docs/')) return OTHERS[file];
  return file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md');
}

/** Place in the site by place in the repository, for each page. */
export function listPages(): Record<string, string> {
  const pages = listMarkdown().map((file): [string, string | undefined] => [file, pageOf(file)]);
  return Object.fromEntries(pages.filter((page): page is [string, string] => page[1] !== undefined));
}

/** Patterns of the Markdown files that are no pages: those that git ignores, and those of other folders. */
export function listOthers(): string[] {
  const homes = new Set(['docs', 'examples', 'sandbox', 'test']);
  const folders = readdirSync(ROOT, { withFileTypes: true }).filter((one) => one.isDirectory() && !homes.has(one.name));
  return [
    ...folders.map(({ name }) => `${name}/**`),
    ...listMarkdown().filter((file) => pageOf(file) === undefined),
    'docs/.vitepress/**',
  ];
}

function listMarkdown(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\0').filter((file) => file !== '');
}

/**
 * Turns the target of a link in the repository into one in the site.
 * @param from page with the link, from the root of the repository
 * @returns null if the target is a file of the repository that the site does not have
 */
export function targetOf(href: string, from: string): string | null {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const place = path.posix.join(path.posix.dirname(from), file);
  if (!place.endsWith('.md')) return null;
  // An unknown page stays as it is: the build then reports a dead link.
  const page = pageOf(place) ?? place;
  return `/${page}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Anchor of a heading, as code hosts make it, so that the same links work there and in the site. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Navigation by reader, as docs/README.md groups and names the pages. */
export function readSidebar(): { text: string; items: { text: string; link: string }[] }[] {
  const map = readFileSync(path.join(ROOT, 'docs', 'README.md'), 'utf8');
  return [...map.matchAll(/^\*\*(.+)\*\*\n((?:\n|- .*\n?)+)/gm)].map(([, text = '', list = '']) => ({
    text,
    items: [...list.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].map(([, name = '', href = '']) => ({
      text: name,
      link: targetOf(href, 'docs/README.md') ?? href,
    })),
  }));
}
