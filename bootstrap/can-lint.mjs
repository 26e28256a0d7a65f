/**
 * Whether the linter runs on a version of Node. Tidemark itself also runs on older versions. There, npm silently omits
 * the linter's native part, because it is an optional package.
 *
 * @param {string} version such as `20.18.1`
 */
export function canLint(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}
