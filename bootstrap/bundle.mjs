import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages that the bundle contains, with what they import. Node loads all other packages as they are. */
const INLINED = new Set([
  '@temporalio/client',
  '@temporalio/common',
  '@temporalio/envconfig',
  'commander',
  'fastest-levenshtein',
  'hyparquet',
  'picocolors',
  'string-width',
  'yaml',
  'zod',
]);

/**
 * Returns the file of compiled code that runs a command line. This is the bundle, which starts in less time. In two cases
 * it is the files from which the bundle was made:
 * - A worker, because its SDK loads packages that the bundle contains, and exchanges objects with them.
 * - With TIDEMARK_DEBUG, because the stack of an error then names the source files.
 *
 * @param {string} folder made by `compile`
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function commandFile(folder, args, env = process.env) {
  const bundled = path.join(folder, 'bundle', 'cli.js');
  const isBundled = !args.includes('worker') && !env['TIDEMARK_DEBUG'] && existsSync(bundled);
  return isBundled ? bundled : path.join(folder, 'src', 'cli', 'cli.js');
}

/**
 * Bundles the command line, so that Node opens fewer files: `bundle/cli.js` and the parts that commands load when they
 * need them. Writes the licences of the packages beside them.
 *
 * @param {string} root
 * @param {string} folder made by `compile`
 */
export async function bundleCommands(root, folder) {
  const esbuild = pathToFileURL(path.join(root, 'node_modules', 'esbuild', 'lib', 'main.js'));
  /** @type {typeof import('esbuild')} */
  const { build } = await import(esbuild.href);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [path.join(folder, 'src', 'cli', 'cli.js')],
    outdir: path.join(folder, 'bundle'),
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent', // an error is thrown, with its text
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    },
    plugins: [keepPlaces(folder)],
  });
  writeFileSync(path.join(folder, 'bundle', 'licences.txt'), licencesOf(root, Object.keys(metafile.inputs)));
}

/**
 * Lets the bundled code find its files: `import.meta.url` stays the place of the file in which it is written.
 *
 * @param {string} folder
 * @returns {import('esbuild').Plugin}
 */
function keepPlaces(folder) {
  return {
    name: 'keep-places',
    setup(build) {
      // esbuild names files by their real path.
      const own = realpathSync(folder);
      const isOurs = (/** @type {string} */ file) => file.startsWith(own + path.sep);
      build.onResolve({ filter: /^[^./]/ }, ({ path: name, importer, kind }) => {
        if (kind === 'entry-point' || !isOurs(importer)) return undefined;
        const [first = '', second = ''] = name.split('/');
        return INLINED.has(first.startsWith('@') ? `${first}/${second}` : first) ? undefined : { external: true };
      });
      build.onLoad({ filter: /\.m?js$/ }, ({ path: file }) => {
        if (!isOurs(file)) return undefined;
        const place = path.posix.join('..', path.relative(own, file).split(path.sep).join('/'));
        const text = readFileSync(file, 'utf8');
        return { contents: text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`) };
      });
    },
  };
}

/**
 * @param {string} root
 * @param {readonly string[]} inputs files of the bundle, relative to the root
 * @returns {string} the licences of all packages in the bundle
 */
function licencesOf(root, inputs) {
  const packages = new Set(inputs.map((file) => /^.*node_modules\/(?!\.cache)(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]));
  const texts = [...packages]
    .filter((place) => place !== undefined)
    .sort()
    .map((place) => {
      const at = path.join(root, place);
      const { name, version, license } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8'));
      const files = readdirSync(at).filter((file) => /^(licen[cs]e|notice)/i.test(file));
      return [`${name} ${version}: ${license}`, ...files.map((file) => readFileSync(path.join(at, file), 'utf8'))].join(
        '\n\n',
      );
    });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
