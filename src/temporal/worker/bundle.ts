import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { writeFileAtomic } from '../../store/files.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Loads the workflow bundle that every worker runs. Bundling with webpack takes seconds, so the bundle is kept in a
 * file.
 * - Compiled code never changes, so its bundle is stored next to it. An installed package contains the bundle.
 * - The sources of a clone change, so the name of their bundle contains the hash of its inputs.
 *
 * If the file cannot be written, the next start bundles again.
 */
export async function loadWorkflowBundle(root = ROOT): Promise<{ code: string }> {
  const file = existsSync(path.join(root, 'workflows', 'index.js'))
    ? path.join(root, 'workflow-bundle.js')
    : path.join(root, 'node_modules', '.cache', 'tidemark', `workflows-${fingerprint(root)}.js`);
  try {
    return { code: readFileSync(file, 'utf8') };
  } catch {
    const { code } = await bundleWorkflows(root);
    await writeFileAtomic(file, code).catch(() => undefined);
    return { code };
  }
}

/** Bundles the workflows and their interceptor with webpack. */
export async function bundleWorkflows(root: string): Promise<WorkflowBundleWithSourceMap> {
  const folder = path.join(root, 'workflows');
  return bundleWorkflowCode({
    workflowsPath: folder,
    workflowInterceptorModules: [path.join(folder, 'trace')],
    logger: new DefaultLogger('ERROR'),
  });
}

function fingerprint(root: string): string {
  const hash = createHash('sha256');
  // Workflows import only types from schemas. Hash the schemas, too, in case a workflow does import a value.
  for (const folder of ['workflows', 'schemas']) {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const name of files.filter((f) => f.endsWith('.ts') || f.endsWith('.js')).sort()) {
      hash
        .update(`${folder}/${name}\0`)
        .update(readFileSync(path.join(root, folder, name)))
        .update('\0');
    }
  }
  const require = createRequire(import.meta.url);
  for (const name of ['@temporalio/worker', '@temporalio/workflow']) {
    hash.update((require(`${name}/package.json`) as { version: string }).version);
  }
  return hash.digest('hex').slice(0, 16);
}

// Webpack writes each module with its path, relative to some folder of this machine, and sorts the modules by path.
const FOLDER = /[^"'\s!(]*\/(node_modules(?!\/\.cache)|workflows|schemas)\b/g;
const FRAME = /\*{4,}/g;
// Names of modules that webpack leaves out: a hash of their path, which contains the folder in which webpack ran.
const LEFT_OUT = /"\?[0-9a-f]+"/g;
const MODULE = '\n/***/ ';

/**
 * Returns the id of a bundle: a hash of its modules (16 hex digits). Equal modules give equal ids on all machines. The
 * source map does not count, because it contains the paths of this machine.
 */
export function bundleId({ code }: { code: string }): string {
  const text = code
    .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '')
    .replaceAll(FOLDER, '$1')
    // A comment above each module has a frame as wide as the path.
    .replaceAll(FRAME, '***')
    .replaceAll(LEFT_OUT, '"?"');
  const hash = createHash('sha256');
  for (const part of text.split(MODULE).toSorted()) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}
