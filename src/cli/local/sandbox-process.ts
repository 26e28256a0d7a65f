import { runOurs } from './tidemark-process.js';
import { spawnGuarded, type Guarded } from './spawn-guarded.js';

/** The line of JSON that the sandbox prints when it is ready: URL and key. */
export interface SandboxReady {
  sandbox: string;
  key: string;
}

/** Parses the sandbox's ready line; null for any other line. */
export function parseReady(line: string): SandboxReady | null {
  if (!line.startsWith('{')) return null;
  try {
    const said = JSON.parse(line) as Partial<SandboxReady>;
    return typeof said.sandbox === 'string' && typeof said.key === 'string'
      ? { sandbox: said.sandbox, key: said.key }
      : null;
  } catch {
    return null;
  }
}

/** Starts the sandbox API as a separate process. */
export async function startSandbox(args: readonly string[], logFile: string): Promise<SandboxReady & Guarded> {
  const sandbox = spawnGuarded({ what: 'The sandbox', ...runOurs('sandbox/server.ts', args), logFile });
  try {
    const ready = await sandbox.line(parseReady, 60_000);
    return { ...sandbox, ...ready };
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
}
