// Runs a command that must not outlive the process that wanted it: `node guard.mjs <command> [args…]`.
// The wanting process holds this one's stdin open. When it ends, however it ends (kill -9 too), stdin closes and the
// command is asked to stop, then made to. Signals are passed on. Plain JavaScript: it starts in milliseconds.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const FORCE_AFTER_MS = 20_000;

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
// First line of output: who really runs. If this guard is killed, that process can still be found and stopped.
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
