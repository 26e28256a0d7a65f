import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { anchorOf, listPages, pageOf, readSidebar } from '../../docs/.vitepress/pages.mjs';
import { ROOT } from '../helpers/processes.js';
import { pages } from '../docs/read-pages.js';

/** Anchors of the headings of a page. A heading that occurs twice gets a number. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const prose = text.replaceAll(/^( *)```[^]*?^ *```$/gm, '');
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\\', ''));
    let name = anchor;
    for (let n = 1; anchors.has(name); n++) name = `${anchor}-${n}`;
    anchors.add(name);
  }
  return anchors;
}

it('links of the pages lead to a file and a heading that exist', () => {
  let count = 0;
  const dead = [...pages].flatMap(([file, text]) => {
    const prose = text.replaceAll(/^( *)```[^]*?^ *```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = '']) => {
      if (/^[a-z]+:/.test(href)) return [];
      count++;
      const [target = '', anchor] = href.split('#');
      const place = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
      if (!existsSync(path.join(ROOT, place))) return [`${file}: ${href}`];
      if (!place.endsWith('.md')) return [];
      // The site would report a dead link.
      if (pageOf(place) === undefined) return [`${file}: ${href} is no page of the site`];
      if (anchor === undefined) return [];
      return anchorsOf(readFileSync(path.join(ROOT, place), 'utf8')).has(anchor) ? [] : [`${file}: ${href}`];
    });
  });
  expect(count).toBeGreaterThan(200);
  expect(dead).toEqual([]);
});

it('the documentation map and the navigation of the site have every page', () => {
  const linked = readSidebar().flatMap(({ items }) => items.map(({ link }) => link));
  expect(new Set(linked).size).toBe(linked.length);
  // The page of decisions lists each of them. The map itself is the start of the site.
  const missing = Object.values(listPages()).filter(
    (page) => !/^decisions\/\d|^index\.md$/.test(page) && !linked.includes(`/${page}`),
  );
  expect(missing).toEqual([]);
  expect(pageOf('docs/decisions/README.md')).toBe('decisions/index.md');
});
