#!/usr/bin/env node
// Runs src/cli.ts without a build step, installing packages first when they are missing. Old Nodes must still be able
// to read this file: everything newer is imported after the version check.
const MINIMUM = [20, 18, 1];

if (isOlder(process.versions.node.split('.').map(Number), MINIMUM)) {
  console.error(`Tidemark needs Node.js ${MINIMUM.join('.')} or newer; this is ${process.versions.node}.`);
  console.error('Install a newer one (for example with nvm: `nvm install 20`), then run the same command again.');
  process.exit(1);
}

try {
  const { ensurePackages } = await import('../bootstrap/packages.mjs');
  await ensurePackages({ dev: false });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

process.setSourceMapsEnabled(true);
const { register } = await import('tsx/esm/api');
register();
await import(new URL('../src/cli.ts', import.meta.url).href);

/**
 * @param {number[]} version
 * @param {number[]} minimum
 */
function isOlder(version, minimum) {
  const at = minimum.findIndex((part, index) => part !== version[index]);
  return at >= 0 && (version[at] ?? 0) < (minimum[at] ?? 0);
}
