// Import this file first: it exits with a clear message if Node is too old. Use only syntax that an old Node can parse.

const MINIMUM = [20, 18, 1];

/**
 * @param {string} version such as `20.18.1`
 * @returns {boolean} whether Tidemark runs on it
 */
export function isSupportedNode(version) {
  const parts = version.split('.').map(Number);
  const at = MINIMUM.findIndex((minimum, index) => parts[index] !== minimum);
  return at < 0 || Number(parts[at]) > Number(MINIMUM[at]);
}

if (!isSupportedNode(process.versions.node)) {
  console.error(`Tidemark needs Node.js ${MINIMUM.join('.')} or newer; this is ${process.versions.node}.`);
  console.error('Install a newer version (with nvm: `nvm install 20`), then run the same command again.');
  process.exit(1);
}
