import { spawn } from 'node:child_process';
import { commandFile } from '../bootstrap/bundle.mjs';
import { compiled } from '../test/helpers/processes.js';
import type { Project } from '../test/helpers/project.js';
import { CPU_REPORT, readCpuReport } from './process-usage.js';

/**
 * Runs `tidemark snapshot` to its end. Returns the CPU seconds of the command.
 * @param build folder of the compiled code. Default: this code
 */
export async function runSnapshot(project: Project, build?: string): Promise<number> {
  const program = build === undefined ? compiled(['bin/tidemark.mjs']) : [commandFile(build, ['snapshot'])];
  const args = ['--import', CPU_REPORT, ...program, 'snapshot', '--json'];
  const child = spawn(process.execPath, args, {
    cwd: project.dir,
    env: project.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => void (errors += text.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`tidemark snapshot ended with ${String(code)}:\n${errors}`);
  return readCpuReport(errors);
}
