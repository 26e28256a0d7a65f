import { createHmac } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { IN_PID_NAMESPACE } from './pid-namespace.js';
import { ROOT } from './processes.js';

export const SECRET = 'a-secret-of-the-callback';

export interface ReceiverProcess {
  url: string;
  /** Delivers a signed body; returns the status, 0 if none. */
  deliver(body: string): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the process to end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a webhook receiver in another process, with short times.
 * @param inNamespace as process 1 of a new process namespace, as in a container
 */
export async function startReceiver(
  dataDir: string,
  { inNamespace = false, ...options }: { inNamespace?: boolean; commitEveryMs?: number; place?: string } = {},
): Promise<ReceiverProcess> {
  const given = JSON.stringify({ abandonedMs: 3_000, commitEveryMs: 1_000, ...options });
  const script = path.join(ROOT, 'test/helpers/receiver.ts');
  const command = [process.execPath, '--import', 'tsx', script, dataDir, SECRET, given];
  const [program = '', ...args] = inNamespace ? [...IN_PID_NAMESPACE, ...command] : command;
  const child = spawn(program, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error('The receiver ended before it listened.'))),
  ])) as [string];
  const { url, pid } = JSON.parse(line) as { url: string; pid: number };
  return {
    url,
    async deliver(body) {
      const signature = createHmac('sha256', SECRET).update(body).digest('hex');
      const headers = { 'x-svc-signature': signature };
      return fetch(url, { method: 'POST', body, headers }).then(
        ({ status }) => status,
        () => 0,
      );
    },
    // The parent knows its id only through the process that created the namespace.
    signal: (signal) => void (pid === child.pid ? child.kill(signal) : signalChildOf(child.pid ?? 0, signal)),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      if (signal === 'SIGKILL' || pid === child.pid) child.kill(signal);
      else child.stdin.end();
      await ended;
    },
  };
}

function signalChildOf(parent: number, signal: NodeJS.Signals): void {
  spawn('pkill', [`--signal`, signal, '--parent', String(parent)]);
}
