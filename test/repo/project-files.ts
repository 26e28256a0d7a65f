import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Existing paths that git tracks or would track, from the root; none in a copy without git. */
export function listProjectFiles(): string[] {
  const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64e6,
  });
  return output.split('\0').filter((file) => file !== '' && existsSync(path.join(ROOT, file)));
}

/** Texts of the project's files with a matching path. */
export function readProjectFiles(pattern: RegExp): Map<string, string> {
  const files = listProjectFiles().filter((file) => pattern.test(file));
  return new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));
}
