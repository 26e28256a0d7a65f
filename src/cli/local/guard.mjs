// Runs a command that must not outlive its parent process: `node guard.mjs <command> [args…]`. The parent keeps the
// stdin of this process open. When the parent ends for any reason (even kill -9), stdin closes. The guard then sends
// SIGTERM to the command, and SIGKILL if it still runs after 20 s. SIGINT, SIGTERM and SIGHUP have the same effect.
// This file is plain JavaScript because that starts in milliseconds.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const FORCE_AFTER_MS = 20_000;

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
// Print the process id of the command first. If the guard is killed, the parent can still stop the command by this id.
if (child.pid !== undefined) process.stdout.write(`guarded ${child.pid}\n`);

/** @type {NodeJS.Timeout | undefined} */
let force;
/** @param {NodeJS.Signals} signal */
const stop = (signal) => {
  child.kill(signal);
  force ??= setTimeout(() => child.kill('SIGKILL'), FORCE_AFTER_MS);
};

child.on('error', (error) => {
  console.error(`cannot start ${command}: ${error.message}`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => stop('SIGTERM'));
process.stdin.on('close', () => stop('SIGTERM'));
process.stdin.on('error', () => stop('SIGTERM'));
process.stdin.resume();
