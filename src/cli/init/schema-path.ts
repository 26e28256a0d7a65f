import path from 'node:path';
import { fileURLToPath } from 'node:url';

const NAME = 'tidemark.schema.json';
const CODE = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Returns the path of the JSON Schema to write into a configuration file: relative to the file if the schema lies below
 * its folder (`./node_modules/tidemark/tidemark.schema.json`), else absolute.
 */
export function schemaPath(configFile: string, code = CODE): string {
  const schema = path.join(packageFolder(code), NAME);
  const relative = path.relative(path.dirname(configFile), schema);
  return relative.startsWith('..') || path.isAbsolute(relative) ? schema : `./${relative.replaceAll('\\', '/')}`;
}

/** Returns the folder of the clone or the package. Builds of a clone are removed later, so their files have no lasting path. */
function packageFolder(code: string): string {
  const [clone, build] = code.split(path.join(path.sep, 'node_modules', '.cache', 'tidemark', path.sep));
  if (clone !== undefined && build !== undefined) return clone;
  return path.basename(code) === 'dist' ? path.dirname(code) : code;
}
