import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';

/** Writes `licences.txt` with the licence of every package that the bundle contains. */
export function collectLicences(): Plugin {
  return {
    name: 'tidemark-licences',
    apply: 'build',
    generateBundle() {
      const folders = new Set<string>();
      for (const id of this.getModuleIds()) {
        const folder = packageFolder(id.replace(/^\0/, '').split('?')[0] ?? '');
        if (folder !== undefined) folders.add(folder);
      }
      const source = [...folders]
        .map(describe)
        .toSorted()
        .join(`\n\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source });
    },
  };
}

/** Returns the folder of the package to which a file belongs; undefined for files of this project. */
function packageFolder(file: string): string | undefined {
  const at = file.lastIndexOf('/node_modules/');
  if (at < 0) return undefined;
  const [scope = '', name = ''] = file.slice(at + '/node_modules/'.length).split('/');
  return `${file.slice(0, at)}/node_modules/${scope.startsWith('@') ? `${scope}/${name}` : scope}`;
}

function describe(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  if (license === undefined) throw new Error(`${name} names no licence.`);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => path.join(folder, file)).filter((file) => statSync(file).isFile());
  return [`${name} ${version} (${license})`, ...texts.map((file) => readFileSync(file, 'utf8').trim())].join('\n\n');
}
