import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Installs packages from PyPI into a virtual environment below the temp folder. Uses an environment that has them.
 * @param packages exact versions, such as `polars==1.0.0`
 * @returns path of its Python
 * @throws Error when Python 3 is missing or a package cannot be installed
 */
export async function installPython(name: string, packages: readonly string[]): Promise<string> {
  const version = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12);
  const environment = path.join(tmpdir(), `tidemark-python-${name}-${version}`);
  const python = path.join(environment, 'bin', 'python');
  const complete = path.join(environment, 'complete');
  if (existsSync(complete)) return python;
  rmSync(environment, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', environment]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], {
    timeout: 900_000,
  });
  writeFileSync(complete, '');
  return python;
}
