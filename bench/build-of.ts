import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const builds = new Map<string, string>();

/** Compiles the code of a clone of Tidemark, unless it is compiled already. Returns the folder of the compiled code. */
export function buildOf(clone: string): string {
  const known = builds.get(clone);
  if (known !== undefined) return known;
  const script = `import { ensureBuild } from '${pathToFileURL(path.join(clone, 'bootstrap', 'build.mjs')).href}';
process.stdout.write(await ensureBuild({ root: process.argv[1], log: () => {} }));`;
  const build = execFileSync(process.execPath, ['--input-type=module', '-e', script, clone], { encoding: 'utf8' });
  builds.set(clone, build);
  return build;
}
