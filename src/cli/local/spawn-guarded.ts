import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeFolderSync } from '../../store/files.js';
import { TidemarkError } from '../../base/errors.js';
import { tell } from '../terminal/print.js';
import { processExists } from '../../store/lock/holder.mjs';
import { withoutSecrets } from '../../config/secret-variables.js';

/** Path of the guard script: the guard ends its command when this process ends. */
export const GUARD = fileURLToPath(new URL('./guard.mjs', import.meta.url));
/** First line of the guard's output: the id of the guarded process. */
export const GUARDED = /^guarded (\d+)$/;
const PIPES_CLOSE_WITHIN_MS = 500;
const TAIL_LINES = 8;
// Level number of pino.
const ERROR = 50;

/** Input of `spawnGuarded`. */
export interface GuardedOptions {
  /** Name for messages: `The sandbox`. */
  what: string;
  command: string;
  args: readonly string[];
  /** Environment variables. Default: those of this process, without secrets. */
  env?: NodeJS.ProcessEnv;
  /** Working folder. Default: the folder of this process. */
  cwd?: string;
  /** File that gets all output of the process. */
  logFile: string;
}

/** A child process that ends when this process ends for any reason. */
export interface Guarded {
  /** Process id of the command itself, not of its guard. */
  readonly pid: Promise<number>;
  /**
   * Resolves with the first line of stdout that `match` accepts. Call `line` right after the start: earlier lines are
   * lost.
   */
  line<T>(match: (line: string) => T | null, timeoutMs: number): Promise<T>;
  /** Rejects with a TidemarkError when the process ends without `stop`. */
  readonly died: Promise<never>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a process under a guard, outside the terminal's process group. Ctrl-C therefore reaches only this process,
 * which can then stop its children in order.
 */
export function spawnGuarded({ what, command, args, env, cwd, logFile }: GuardedOptions): Guarded {
  makeFolderSync(path.dirname(logFile));
  const log = createWriteStream(logFile, { flags: 'w' });
  const child = spawn(process.execPath, [GUARD, command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: env ?? withoutSecrets(process.env),
    cwd,
  });
  // Ignore errors: the guard may be gone when this process closes its stdin.
  child.stdin.on('error', () => undefined);
  child.stderr.pipe(log, { end: false });
  // Keep running if the log cannot be written, for example on a full disk. Go on reading the pipe: if the pipe is full,
  // the child blocks.
  log.on('error', (error) => {
    tell(`Cannot write to the log ${logFile}: ${error.message}. The process continues without a log.`);
    child.stderr.unpipe(log).resume();
  });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => void (log.destroyed || log.write(`${line}\n`)));

  let stopping = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
    // If the guard is killed, its command keeps the pipes open, so the event `close` does not happen. Wait for `exit`.
    child.once('exit', (code) => setTimeout(() => resolve(code), PIPES_CLOSE_WITHIN_MS));
  });
  const died = exited.then(async (code) => {
    await new Promise<void>((resolve) => log.end(() => resolve()));
    if (stopping) return new Promise<never>(() => undefined);
    throw failure(`${what} ended unexpectedly (${howItEnded(code)})`, logFile);
  });
  // Prevent an unhandled rejection while nobody awaits `died`.
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
      // The guard has ended; stop the command itself if it still runs.
      const left = await pid.catch(() => null);
      if (left !== null && processExists(left)) process.kill(left, 'SIGTERM');
    },
  };
}

function failure(what: string, logFile: string): TidemarkError {
  return new TidemarkError('Internal', `${what}.${tail(logFile)}`, { todo: `Read its full output in ${logFile}.` });
}

/** Describes an exit code. As in shells, 128 plus a signal number means that the signal killed the process. */
function howItEnded(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => code === 128 + number);
  return signal
    ? `killed by ${signal[0]}; start it again, open runs continue where they stopped`
    : `exit code ${code ?? 'none'}`;
}

/** Last lines of the log, for the message of an error. */
function tail(logFile: string): string {
  try {
    const lines = readFileSync(logFile, 'utf8').split('\n').flatMap(inWords).slice(-TAIL_LINES);
    return lines.length === 0 ? '' : `\n${lines.map((line) => `  | ${line}`).join('\n')}`;
  } catch {
    return '';
  }
}

/** Returns the text of a log line. For JSON lines, returns the message of an error and nothing for lower levels. */
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
