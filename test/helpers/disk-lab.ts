import { execFile, spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanEnv, compiled, ROOT } from './processes.js';
import type { CliResult } from './run-cli.js';

/** A mount namespace of its own, in which a process may mount what it needs. Without root, with a user namespace, too. */
const UNSHARE = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])] as const;
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] as const;

const CLI = [process.execPath, ...compiled([path.join(ROOT, 'bin', 'tidemark.mjs')])];
const works = ([command = '', ...args]: readonly string[]): boolean => spawnSync(command, args).status === 0;

/** What this machine allows: mounts in a namespace, and processes of another user who can read the program. */
export const mayMount = works([...UNSHARE, 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt']);
export const mayBeNobody = process.getuid?.() === 0 && works([...NOBODY, ...CLI, '--version']);

/** How a command sees its disk. `before`: shell commands that run first, in the folder of the project. */
export interface Disk {
  before?: string;
  asNobody?: boolean;
}

export const READ_ONLY: Disk = { before: 'mount --bind data data && mount -o remount,ro,bind data data' };
/** A copy of the data on a disk with no free block. */
export const FULL: Disk = {
  before:
    'mkdir -p full && mount -t tmpfs -o size=64m tmpfs full && cp -a data/. full/ && (cat /dev/zero > full/fill 2>/dev/null; true) && mount --bind full data',
};
export const NOT_MINE: Disk = { asNobody: true };

/** A folder with configuration and data, in which commands run on disks of any state. */
export class DiskLab {
  readonly dir = mkdtempSync(path.join(tmpdir(), 'tidemark-disks-'));

  constructor(from: string) {
    cpSync(from, this.dir, { recursive: true, verbatimSymlinks: true });
  }

  /** Path below the data folder. */
  file(name: string): string {
    return path.join(this.dir, 'data', name);
  }

  /** Runs `tidemark …`. The test ends a command that hangs, after 240 s, with exit code 124. */
  async tidemark(args: readonly string[], { before = 'true', asNobody = false }: Disk = {}): Promise<CliResult> {
    const run = ['timeout', '240', ...(asNobody ? NOBODY : []), ...CLI, ...args];
    const isPlain = before === 'true';
    const [command = '', ...rest] = isPlain ? run : [...UNSHARE, 'sh', '-c', `${before} && exec "$@"`, 'sh', ...run];
    const env = cleanEnv({ TEMPORAL_ADDRESS: '127.0.0.1:9', TIDEMARK_API_KEY: 'k', HOME: this.dir });
    return new Promise((resolve) => {
      execFile(command, rest, { cwd: this.dir, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
    });
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Inverts two bytes of a file. A negative place counts from the end. */
export function flip(file: string, place: number): void {
  const at = place < 0 ? statSync(file).size + place : place;
  const handle = openSync(file, 'r+');
  const bytes = Buffer.alloc(2);
  readSync(handle, bytes, 0, 2, at);
  writeSync(
    handle,
    bytes.map((byte) => byte ^ 0xff),
    0,
    2,
    at,
  );
  closeSync(handle);
}

/** Writes the configuration of a project without an API. */
export function writeProject(dir: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    path.join(dir, 'tidemark.yaml'),
    'api: { baseUrl: "http://127.0.0.1:9" }\ndata: ./data\nmodels: ./models\nmarkets: [{ name: demo }]\n',
  );
}
