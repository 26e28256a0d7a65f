import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Adds the project's own commands to `node_modules/.bin`, where npx looks first. npm itself adds only the commands of
 * dependencies. Existing links stay unchanged.
 *
 * @param {string} root folder of package.json
 * @param {string} modules the node_modules folder to fill; its links work after the folder is moved into `root`
 */
export function linkOwnBin(root, modules) {
  const { bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const folder = path.join(modules, '.bin');
  mkdirSync(folder, { recursive: true });
  for (const [name, file] of Object.entries(bin ?? {})) {
    const link = path.join(folder, name);
    const target = path.join('..', '..', String(file));
    if (process.platform === 'win32') {
      const windows = target.replaceAll('/', '\\');
      if (!existsSync(`${link}.cmd`)) writeFileSync(`${link}.cmd`, `@node "%~dp0\\${windows}" %*\r\n`);
    } else if (!existsSync(link)) {
      symlinkSync(target, link);
      chmodSync(path.join(root, String(file)), 0o755);
    }
  }
}
