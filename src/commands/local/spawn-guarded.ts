import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TidemarkError } from '../../core/errors.js';
import { tell } from '../print.js';
import { processExists } from '../../core/lock.js';

/** The guard's script. */
export const GUARD = fileURLToPath(new URL('./guard.mjs', import.meta.url));
/** The guard's first line of output: the id of the process it guards. */
export const GUARDED = /^guarded (\d+)$/;
const PIPES_CLOSE_WITHIN_MS = 500;
const TAIL_LINES = 8;
// As pino numbers its levels.
const ERROR = 50;

export interface GuardedOptions {
  /** For messages: `the sandbox`. */
  what: string;
  command: string;
  args: readonly string[];
  /** Default: ours, without the secrets in it. */
  env?: NodeJS.ProcessEnv;
  /** Folder it runs in; default ours. */
  cwd?: string;
  /** Everything the process prints is appended here. */
  logFile: string;
}

/** A process of ours beside this one; it ends when this one ends, whatever ends it. */
export interface Guarded {
  /** Process id of the command itself, not of its guard. */
  readonly pid: Promise<number>;
  /** Resolves with what `match` makes of the first line of stdout it accepts; ask at once, lines are not kept. */
  line<T>(match: (line: string) => T | null, timeoutMs: number): Promise<T>;
  /** Rejects, in words, when the process ends without being asked to. */
  readonly died: Promise<never>;
  readonly stop: () => Promise<void>;
}

/** Starts a process under a guard, outside the terminal's process group: Ctrl-C reaches only us, and we stop in order. */
export function spawnGuarded({ what, command, args, env, cwd, logFile }: GuardedOptions): Guarded {
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: 'w' });
  const child = spawn(process.execPath, [GUARD, command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: env ?? withoutSecrets(process.env),
    cwd,
  });
  // The guard may be gone when we close its stdin.
  child.stdin.on('error', () => undefined);
  child.stderr.pipe(log, { end: false });
  // A log that cannot be written (the disk is full) is no reason to end; its process must not block on a full pipe.
  log.on('error', (error) => {
    tell(`Cannot write the log ${logFile} any more: ${error.message}`);
    child.stderr.unpipe(log).resume();
  });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => void (log.destroyed || log.write(`${line}\n`)));

  let stopping = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
    // Where the guard itself was killed its command still holds the pipes, and they do not close.
    child.once('exit', (code) => setTimeout(() => resolve(code), PIPES_CLOSE_WITHIN_MS));
  });
  const died = exited.then(async (code) => {
    await new Promise<void>((resolve) => log.end(() => resolve()));
    if (stopping) return new Promise<never>(() => undefined);
    throw failure(`${what} ended unexpectedly (${howItEnded(code)})`, logFile);
  });
  // Nobody may be waiting for it yet.
  died.catch(() => undefined);

  const line = async <T>(match: (text: string) => T | null, timeoutMs: number): Promise<T> => {
    const found = new Promise<T>((resolve) => {
      lines.on('line', (text) => {
        const value = match(text);
        if (value !== null) resolve(value);
      });
    });
    const timeout = new AbortController();
    const late = delay(timeoutMs, null, { signal: timeout.signal }).then(() => {
      throw failure(`${what} was not ready after ${timeoutMs / 1000} s`, logFile);
    });
    late.catch(() => undefined);
    return Promise.race([found, late, died]).finally(() => timeout.abort());
  };
  const pid = line((text) => {
    const found = GUARDED.exec(text);
    return found ? Number(found[1]) : null;
  }, 10_000);
  pid.catch(() => undefined);
  return {
    pid,
    line,
    died,
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      await exited;
      // Unguarded by now; usually gone.
      const left = await pid.catch(() => null);
      if (left !== null && processExists(left)) process.kill(left, 'SIGTERM');
    },
  };
}

/** What a process of another maker (the Temporal server) has no use for. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { TIDEMARK_API_KEY: _key, TIDEMARK_WEBHOOK_SECRET: _secret, ...rest } = env;
  return rest;
}

function failure(what: string, logFile: string): TidemarkError {
  return new TidemarkError('Internal', `${what}.${tail(logFile)}`, { todo: `Read its full output in ${logFile}.` });
}

/** A shell's way to tell of signals: 128 and more. */
function howItEnded(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return signal
    ? `killed by ${signal[0]}; start it again, open runs continue where they stopped`
    : `exit code ${code ?? 'none'}`;
}

/** The last lines a process printed, for the message that tells of its end. */
function tail(logFile: string): string {
  try {
    const lines = readFileSync(logFile, 'utf8').split('\n').flatMap(inWords).slice(-TAIL_LINES);
    return lines.length === 0 ? '' : `\n${lines.map((line) => `  | ${line}`).join('\n')}`;
  } catch {
    return '';
  }
}

/** Of a log in JSON, only what failed. */
function inWords(line: string): string[] {
  if (line.trim() === '' || GUARDED.test(line)) return [];
  try {
    const { level, msg, err } = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    if (level === undefined || msg === undefined) return [line];
    return level >= ERROR ? [[msg, err?.message].filter((words) => words !== undefined).join(': ')] : [];
  } catch {
    return [line];
  }
}
