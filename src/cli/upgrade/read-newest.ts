import { execFile, type ExecFileException } from 'node:child_process';

/** Answer of the package registry about Tidemark. */
export type Newest =
  | {
      version: string;
      /** When the version was published, ISO; null if the registry does not say. */
      published: string | null;
      /** Versions of Node.js that it needs, such as `>=20.18.1`; null if the registry does not say. */
      node: string | null;
      error: null;
    }
  | { version: null; error: string };

const PACKAGE = 'tidemark';
// npm ends each attempt after 10 s. This limit also ends an npm that hangs.
const ANSWER_WITHIN_MS = 30_000;

/**
 * Asks npm for the newest version of Tidemark. npm uses the registry, the proxy and the login that the user has set.
 * Never throws: a missing network is an answer, too.
 */
export async function readNewest(): Promise<Newest> {
  const args = ['view', `${PACKAGE}@latest`, 'version', 'time', 'engines', '--json'];
  const limits = ['--fetch-retries=0', '--fetch-timeout=10000'];
  const { failed, stdout } = await new Promise<{ failed: ExecFileException | null; stdout: string }>((resolve) => {
    // On Windows, npm is a script that only a shell can run.
    const options = { timeout: ANSWER_WITHIN_MS, shell: process.platform === 'win32', maxBuffer: 64 * 1024 ** 2 };
    execFile('npm', [...args, ...limits], options, (error, output) => resolve({ failed: error, stdout: output }));
  });
  if (failed?.code === 'ENOENT')
    return { version: null, error: 'npm is not installed, so the registry was not asked.' };
  return parseNewest(stdout);
}

/** Reads what `npm view --json` printed. Pure. */
export function parseNewest(stdout: string): Newest {
  const { version, time, engines, error } = parseObject(stdout) as NpmAnswer;
  if (typeof version === 'string')
    return { version, published: time?.[version] ?? null, node: engines?.['node'] ?? null, error: null };
  if (error?.code === 'E404') return { version: null, error: `The registry of npm has no package "${PACKAGE}".` };
  if (error?.code === 'E401' || error?.code === 'E403')
    return { version: null, error: `The registry of npm refuses access (${error.code}). Sign in with \`npm login\`.` };
  const why = error?.summary?.split('\n')[0] || error?.code || 'no answer';
  return { version: null, error: `npm cannot ask its registry: ${why}` };
}

interface NpmAnswer {
  version?: unknown;
  time?: Record<string, string>;
  engines?: Record<string, string>;
  error?: { code?: string; summary?: string };
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Whether version `a` is newer than version `b`. A release is newer than its pre-releases. Pure. */
export function isNewer(a: string, b: string): boolean {
  const [[coreA, preA], [coreB, preB]] = [parts(a), parts(b)];
  const compare = (x: string, y: string): number => x.localeCompare(y, 'en', { numeric: true });
  const order = compare(coreA, coreB);
  if (order !== 0 || preA === preB) return order > 0;
  if (preA === '' || preB === '') return preA === '';
  return compare(preA, preB) > 0;
}

/** Splits a version into `1.2.3` and `rc.1`. */
function parts(version: string): [string, string] {
  const [core = '', ...pre] = version.replace(/\+.*$/, '').split('-');
  return [core, pre.join('-')];
}
