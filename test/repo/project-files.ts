import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Paths from the root of what git tracks or would track, and of what is there now; in a copy without git, nothing. */
export function listProjectFiles(): string[] {
  const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64e6,
  });
  return output.split('\0').filter((file) => file !== '' && existsSync(path.join(ROOT, file)));
}

/** Texts of the project's files whose path matches. */
export function readProjectFiles(pattern: RegExp): Map<string, string> {
  const files = listProjectFiles().filter((file) => pattern.test(file));
  return new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));
}
