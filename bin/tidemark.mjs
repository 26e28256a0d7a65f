#!/usr/bin/env node
// Runs the command line. An installed package contains the compiled code in dist/. In a clone, first installs missing
// packages and compiles the sources if they changed.
import { existsSync } from 'node:fs';

const at = (/** @type {string} */ file) => new URL(`../${file}`, import.meta.url);
const isClone = existsSync(at('src/cli/cli.ts'));
await import(at(`${isClone ? '' : 'dist/'}bootstrap/check-node.mjs`).href);

// A package has no source maps. Without this condition, Node would read those of all libraries.
if (isClone) process.setSourceMapsEnabled(true);
await import(isClone ? await buildClone() : at('dist/src/cli/cli.js').href);

async function buildClone() {
  const { ensurePackages, projectRoot } = await import(at('bootstrap/packages.mjs').href);
  const { ensureBuild } = await import(at('bootstrap/build.mjs').href);
  const { pathToFileURL } = await import('node:url');
  try {
    await ensurePackages();
    return pathToFileURL(`${await ensureBuild({ root: projectRoot() })}/src/cli/cli.js`).href;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
