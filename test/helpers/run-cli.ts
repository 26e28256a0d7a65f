import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanEnv, compiled, ROOT } from './processes.js';
import type { Project } from './project.js';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

const CLI = path.join(ROOT, 'bin', 'tidemark.mjs');

/** Runs `tidemark …` in another process, in `cwd`, without this machine's settings. */
export async function runCli(
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<CliResult> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      // The demo starts processes from the sources, as in a clone.
      args[0] === 'demo' ? [CLI, ...args] : compiled([CLI, ...args]),
      { cwd: options.cwd, env: cleanEnv(options.env ?? {}), maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
  });
}

/** Runs `tidemark …` in the folder of a project, with its settings. */
export async function tidemarkIn(
  project: Project,
  args: string[],
  env: Record<string, string> = {},
): Promise<CliResult> {
  const own = Object.entries(project.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return runCli(args, { cwd: project.dir, env: { ...Object.fromEntries(own), ...env } });
}

/** An empty folder for commands. */
export function emptyFolder(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-cli-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
