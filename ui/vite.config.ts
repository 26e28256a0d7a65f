import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { collectLicences } from './licences.js';

// Builds the front-end of `tidemark ui`. It loads nothing from other servers, and has no inline script or style, because
// the content security policy of the explorer forbids them.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  plugins: [collectLicences()],
  build: {
    target: 'es2022',
    emptyOutDir: true,
    // The policy allows no `data:` scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_200,
    sourcemap: false,
  },
});
