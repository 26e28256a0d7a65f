import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// Builds the program that renders `tidemark report` in Node from the views of the explorer: one file, with everything in
// it.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    target: 'node20',
    ssr: fileURLToPath(new URL('src/report/render.tsx', import.meta.url)),
    emptyOutDir: false,
    minify: 'esbuild',
    sourcemap: false,
    rollupOptions: { output: { entryFileNames: 'report.mjs' } },
  },
});
