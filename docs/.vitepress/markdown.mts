import path from 'node:path';
import type { MarkdownOptions } from 'vitepress';
import { ROOT, targetOf } from './pages.mjs';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Makes Markdown that was written for a code host work in the site. */
export function readAsRepository(md: Markdown): void {
  linksOfRepository(md);
  md.core.ruler.push('code-is-no-template', ({ tokens }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) if (token.type === 'code_inline') token.attrSet('v-pre', '');
  });
}

/**
 * Makes the links of the repository work in the site. A link to a file that the site does not have, such as a model,
 * becomes plain text.
 */
function linksOfRepository(md: Markdown): void {
  md.core.ruler.push('links-of-repository', ({ tokens, env }) => {
    const { realPath, path: file } = env as { realPath?: string; path: string };
    const from = path.relative(ROOT, realPath ?? file).replaceAll(path.sep, '/');
    for (const { children } of tokens) {
      let isPlain = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const target = targetOf(decodeURI(token.attrGet('href') ?? ''), from);
          isPlain = target === null;
          if (target !== null) token.attrSet('href', target);
        }
        if (isPlain && (token.type === 'link_open' || token.type === 'link_close')) {
          if (token.type === 'link_close') isPlain = false;
          token.type = 'text';
          token.tag = '';
          token.content = '';
        }
      }
    }
  });
}
