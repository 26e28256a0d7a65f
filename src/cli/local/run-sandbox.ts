import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { GUARD, GUARDED } from './spawn-guarded.js';
import { runOurs } from './tidemark-process.js';

/**
 * Runs the sandbox in the foreground until it ends, and passes signals to it.
 * @returns Its exit code
 */
export async function runSandbox(args: readonly string[], onLine: (line: string) => void): Promise<number> {
  const ours = runOurs('sandbox/server.ts', args);
  // Run the sandbox under the guard, which ends the sandbox if this process is killed.
  const child = spawn(process.execPath, [GUARD, ours.command, ...ours.args], { stdio: ['pipe', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!GUARDED.test(line)) onLine(line);
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) =>
        resolve(
          code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 128 + constants.signals[signal ?? 'SIGKILL']),
        ),
      );
    });
  } finally {
    for (const signal of signals) process.off(signal, pass);
  }
}
