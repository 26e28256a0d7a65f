import { defineConfig } from 'vitepress';
import { readAsRepository } from './markdown.mjs';
import { anchorOf, listOthers, listPages, readSidebar } from './pages.mjs';

export default defineConfig({
  title: 'Tidemark',
  description: 'Nightly market snapshots from the Company Data API into a DuckDB/Parquet warehouse',
  lang: 'en',
  srcDir: '..',
  srcExclude: listOthers(),
  rewrites: listPages(),
  // The site works in any folder of a web server, without rules for addresses.
  cleanUrls: false,
  ignoreDeadLinks: false,
  markdown: { config: readAsRepository, anchor: { slugify: anchorOf }, toc: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: readSidebar(),
    outline: [2, 3],
    docFooter: { prev: false, next: false },
  },
});
