import { runProcess } from './run-process.mjs';

/** The release of the Temporal CLI this project is tested with, and gets where there is none. Server 1.29, UI 2.42. */
export const TEMPORAL_VERSION = '1.5.1';

/**
 * Asks a Temporal CLI for its version. Never throws.
 *
 * @param {string} command path, or name on PATH
 * @returns {Promise<{ version: string } | { reason: string }>} such as `1.5.1`; or why it cannot be used
 */
export async function readTemporalVersion(command) {
  const result = await runProcess(command, ['--version'], { timeoutMs: 20_000 });
  const version = /^temporal version (\S+)/m.exec(result.tail)?.[1];
  if (result.ok && version !== undefined) return { version };
  if (result.error !== undefined) return { reason: result.error };
  return {
    reason: `\`${command} --version\` ended with code ${result.code} and said: ${result.tail.slice(0, 200) || '(nothing)'}`,
  };
}
