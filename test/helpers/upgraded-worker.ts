import { appendFileSync, cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureBuild } from '../../bootstrap/build.mjs';
import { ROOT, startProcess, type RunningProcess } from './processes.js';
import { workerArgs } from './project.js';

/** Starts a worker of another version: other workflow code in another bundle. `stop` also removes its files. */
export async function startUpgradedWorker(env: NodeJS.ProcessEnv, ownerPollSeconds?: number): Promise<RunningProcess> {
  const build = await ensureBuild({ root: ROOT, log: () => undefined });
  const copy = `${build}-upgraded-${process.pid}`;
  cpSync(build, copy, { recursive: true, filter: (from) => !from.endsWith('workflow-bundle.js') });
  appendFileSync(path.join(copy, 'workflows', 'enrich-owners.js'), '\nexport const nextVersion = true;\n');
  const worker = await startProcess(workerArgs('all', ownerPollSeconds, copy), {
    env,
    ready: /worker.*(ready|running)/i,
  });
  return {
    ...worker,
    async stop(signal) {
      await worker.stop(signal);
      rmSync(copy, { recursive: true, force: true });
    },
  };
}
