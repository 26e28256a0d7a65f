import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanEnv, compiled, ROOT } from '../../helpers/processes.js';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

const [TSX, SOURCE] = [path.join(ROOT, 'node_modules', 'tsx', 'dist', 'loader.mjs'), path.join(ROOT, 'src', 'cli.ts')];
const UNBUILT = ['--import', TSX, SOURCE];
const BUILT = compiled(['bin/tidemark.mjs']);
const CLI = BUILT[0] === 'bin/tidemark.mjs' ? UNBUILT : BUILT;

/** Runs `tidemark …` as a process of its own, in `cwd`, with nothing of this machine's settings. */
export async function runCli(
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<CliResult> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      // The demo starts processes of its own, as it finds them in a clone.
      (args[0] === 'demo' ? UNBUILT : CLI).concat(args),
      { cwd: options.cwd, env: cleanEnv(options.env ?? {}), maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

/** An empty folder to run a command in. */
export function emptyFolder(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-cli-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
