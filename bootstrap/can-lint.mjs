/**
 * Whether the linter runs on a Node. Where it does not, npm leaves out its native part, an optional package, without a
 * word; Tidemark itself runs on more.
 *
 * @param {string} version such as `20.18.1`
 */
export function canLint(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
}
