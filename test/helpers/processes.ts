import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { commandFile } from '../../bootstrap/bundle.mjs';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Node arguments that run the CLI or the sandbox from compiled code. A CLI that compiles itself starts later. */
export function compiled(args: readonly string[]): string[] {
  const [first = '', second, script = '', ...rest] = args;
  if (path.resolve(ROOT, first) === path.join(ROOT, 'bin', 'tidemark.mjs'))
    return [commandFile(findBuild(), args.slice(1)), ...args.slice(1)];
  const isOurs = first === '--import' && second === 'tsx' && /^(src|sandbox)\//.test(script);
  return isOurs ? [path.join(findBuild(), script.replace(/\.ts$/, '.js')), ...rest] : [...args];
}

let build: string | undefined;

/** Folder of the compiled code. Compiles in a process of its own, because callers cannot wait. */
export function findBuild(): string {
  const script = `import { ensureBuild } from '${pathToFileURL(path.join(ROOT, 'bootstrap', 'build.mjs')).href}';
process.stdout.write(await ensureBuild({ root: process.argv[1], log: () => {} }));`;
  build ??= execFileSync(process.execPath, ['--input-type=module', '-e', script, ROOT], { encoding: 'utf8' });
  return build;
}

export interface RunningProcess {
  child: ChildProcess;
  /** Its output so far, both streams. */
  output(): string;
  /** Sends a signal and waits for the process to end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a process of the repository and waits for a line on stdout or stderr that matches `ready`. */
export async function startProcess(
  args: string[],
  options: { env: NodeJS.ProcessEnv; ready: RegExp; cwd?: string },
): Promise<RunningProcess & { readyLine: string }> {
  const child = spawn(process.execPath, compiled(args), {
    cwd: options.cwd ?? ROOT,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const running: RunningProcess = {
    child,
    output: () => lines.join('\n'),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
  const readyLine = await new Promise<string>((resolve, reject) => {
    const take = (line: string): void => {
      lines.push(line);
      if (options.ready.test(line)) resolve(line);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take);
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`${args.join(' ')} ended (${code}) before it was ready:\n${lines.join('\n')}`)),
    );
  });
  return { ...running, readyLine };
}

/** The environment of a test's processes: the caller's without variables that configure Tidemark. */
export function cleanEnv(extra: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => name === 'TIDEMARK_WAREHOUSE_THREADS' || !/^(TIDEMARK|TEMPORAL)_/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

export interface RunningSandbox extends RunningProcess {
  url: string;
  key: string;
}

/** Day 0 of every sandbox in a test file, fixed so that midnight does not change it. */
export const TODAY = new Date().toISOString().slice(0, 10);

/** The sandbox as users run it: in its own process, over HTTP. */
export async function startSandbox(flags: Record<string, string | number>): Promise<RunningSandbox> {
  const args = Object.entries({ port: 0, date: TODAY, ...flags }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  const running = await startProcess(['--import', 'tsx', 'sandbox/server.ts', ...args], {
    env: cleanEnv({}),
    ready: /^\{"sandbox"/,
  });
  const said = JSON.parse(running.readyLine) as { sandbox: string; key: string };
  return { ...running, url: said.sandbox, key: said.key };
}
