import { createServer } from 'node:net';
import { TidemarkError } from '../../base/errors.js';

/** True when nothing listens on this port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Returns the wanted port or the next free one above it. Skips `taken`: ports already chosen but not open yet. */
export async function freePort(wanted: number, taken: readonly number[] = []): Promise<number> {
  for (let port = wanted; port < wanted + 200 && port < 65_536; port++) {
    if (!taken.includes(port) && (await isFree(port))) return port;
  }
  throw new TidemarkError('Internal', `No port is free between ${wanted} and ${wanted + 199}.`, {
    todo: 'End a process that uses one of these ports.',
  });
}

/**
 * Checks that a port is free.
 * @throws TidemarkError when another process listens on the port
 */
export async function requireFree(port: number, what: string, option: string): Promise<void> {
  if (await isFree(port)) return;
  throw new TidemarkError('Internal', `Another process uses port ${port}, which ${what} needs.`, {
    todo: `End that process, or choose another port with ${option}.`,
  });
}
