#!/usr/bin/env node
// Runs the command line. An installed package contains the compiled code in dist/. In a clone, first installs missing
// packages and compiles the sources if they changed.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const at = (/** @type {string} */ file) => new URL(`../${file}`, import.meta.url);
const isClone = existsSync(at('src/cli/cli.ts'));
await import(at(`${isClone ? '' : 'dist/'}bootstrap/check-node.mjs`).href);

const folder = isClone ? await buildClone() : fileURLToPath(at('dist'));
const { commandFile } = await import(at(`${isClone ? '' : 'dist/'}bootstrap/bundle.mjs`).href);
const file = commandFile(folder, process.argv.slice(2));
// A package and the bundle have no source maps. Without this condition, Node would read those of all libraries.
if (isClone && path.basename(path.dirname(file)) !== 'bundle') process.setSourceMapsEnabled(true);
await import(pathToFileURL(file).href);

async function buildClone() {
  const { ensurePackages, projectRoot } = await import(at('bootstrap/packages.mjs').href);
  const { ensureBuild } = await import(at('bootstrap/build.mjs').href);
  try {
    await ensurePackages();
    return await ensureBuild({ root: projectRoot() });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
