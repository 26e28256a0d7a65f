import { spawn } from 'node:child_process';

const TAIL_CHARS = 6_000;

/**
 * Result of a process. `tail` is the end of its output: both streams, at most 6,000 characters. `error` is set when the
 * process did not start or exceeded its time limit.
 *
 * @typedef {{ ok: boolean, code: number | null, tail: string, error?: string }} ProcessResult
 */

/**
 * Runs a program within a time limit and collects the end of its output. Never throws. Kills the program and its child
 * processes when the time limit is reached, or when this process is asked to end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number, cwd?: string, env?: NodeJS.ProcessEnv, shell?: boolean, onLine?: (line: string) => void
 * }} options `onLine` gets each complete line of output at once
 * @returns {Promise<ProcessResult>}
 */
export function runProcess(command, args, options) {
  return new Promise((resolve) => {
    const posix = process.platform !== 'win32';
    const child = spawn(command, [...args], {
      cwd: options.cwd,
      env: options.env ?? process.env,
      shell: options.shell ?? false,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: posix, // a separate process group: stopping the group also stops children such as compilers
      windowsHide: true,
    });
    let tail = '';
    let rest = '';
    /** @type {string | undefined} */
    let error;
    /** @param {string} text */
    const take = (text) => {
      tail = (tail + text).slice(-TAIL_CHARS);
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) options.onLine?.(line);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);

    const stop = () => stopGroup(child, posix);
    const timer = setTimeout(() => {
      error = `stopped after its time limit of ${Math.round(options.timeoutMs / 1000)} s`;
      stop();
    }, options.timeoutMs);
    const release = stopWithParent(stop);
    /** @param {number | null} code */
    const finish = (code) => {
      clearTimeout(timer);
      release();
      resolve({
        ok: code === 0 && error === undefined,
        code,
        tail: tail.trim(),
        ...(error === undefined ? {} : { error }),
      });
    };
    child.on('error', (cause) => {
      error ??= cause.message;
      if (child.pid === undefined) finish(null);
    });
    child.on('close', finish);
  });
}

/**
 * Kills a process and its children.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {boolean} posix
 */
function stopGroup(child, posix) {
  if (child.pid === undefined) return;
  try {
    if (posix) process.kill(-child.pid, 'SIGKILL');
    else spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  } catch {
    // The process has already ended.
  }
}

/**
 * Calls `stop` when this process exits or receives SIGINT, SIGTERM or SIGHUP. This is needed because the child has its
 * own process group, which does not receive Ctrl-C.
 *
 * @param {() => void} stop
 * @returns {() => void} function that removes the handlers
 */
function stopWithParent(stop) {
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  /** @param {NodeJS.Signals} signal */
  const onSignal = (signal) => {
    stop();
    release();
    // A signal listener replaces Node's default action. If no other listener exists, end this process with the same
    // signal.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const release = () => {
    process.off('exit', stop);
    for (const signal of signals) process.off(signal, onSignal);
  };
  process.on('exit', stop);
  for (const signal of signals) process.on(signal, onSignal);
  return release;
}
