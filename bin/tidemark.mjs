#!/usr/bin/env node
// Runs src/cli.ts without a build step. Installs the packages first if they are missing.
import '../bootstrap/check-node.mjs';
import { ensurePackages } from '../bootstrap/packages.mjs';

try {
  await ensurePackages({ dev: false });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

process.setSourceMapsEnabled(true);
const { register } = await import('tsx/esm/api');
register();
await import(new URL('../src/cli.ts', import.meta.url).href);
