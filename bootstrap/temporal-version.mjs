import { runProcess } from './run-process.mjs';

/**
 * Version of the Temporal CLI with which this project is tested. If the machine has no CLI, the project installs this
 * version. It contains server 1.29 and UI 2.42.
 */
export const TEMPORAL_VERSION = '1.5.1';

/**
 * Reads the version of a Temporal CLI. Never throws.
 *
 * @param {string} command path, or name on PATH
 * @returns {Promise<{ version: string } | { reason: string }>} a version such as `1.5.1`, or why the program does not
 *   work
 */
export async function readTemporalVersion(command) {
  const result = await runProcess(command, ['--version'], { timeoutMs: 20_000 });
  const version = /^temporal version (\S+)/m.exec(result.tail)?.[1];
  if (result.ok && version !== undefined) return { version };
  if (result.error !== undefined) return { reason: result.error };
  return {
    reason: `\`${command} --version\` ended with exit code ${result.code} and printed: ${result.tail.slice(0, 200) || '(nothing)'}`,
  };
}
