import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, prepare } from './build.mjs';
import { bundleCommands } from './bundle.mjs';
import { projectRoot } from './packages.mjs';
import { findUi } from './ui.mjs';

// `npm run build` fills dist/, which `npm pack` ships. dist/ gets the checked and compiled code with types, the files
// that the code reads, the bundle of the workflows, and the front-end of the explorer.

const root = projectRoot();
const dist = path.join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
try {
  await compile(root, dist, ['--sourceMap', 'false', '--inlineSources', 'false']);
  const { ok, tail, error } = await prepare(root, dist);
  if (!ok) throw new Error(`The models could not be built. ${error ?? ''}\n${tail}`.trim());
  await bundleCommands(root, dist);
  const { loadWorkflowBundle } = await import(
    pathToFileURL(path.join(dist, 'src', 'temporal', 'worker', 'bundle.js')).href
  );
  await loadWorkflowBundle();
  cpSync(await findUi(), path.join(dist, 'ui'), { recursive: true });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
