import { buildApp } from './http/app.js';
import { contradictions, readState } from './state/state-file.js';
import { readFlags } from './flags.js';
import type { SandboxOptions } from './options.js';
import { sandboxOptions } from './switches.js';

/*
 * The sandbox as a process. It parses its flags, listens, and prints one line of JSON on stdout when it is ready. It
 * closes on SIGTERM or SIGINT. All other output goes to stderr.
 */

async function main(argv: string[]): Promise<void> {
  const { host, port, ...given } = readFlags(argv);
  const options = sandboxOptions(withSaved(given));
  const app = await buildApp(options);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void app.close().then(() => process.exit(0)));
  }
  const url = await app.listen({ host, port });
  const { key, companies, seed, date } = options;
  process.stdout.write(`${JSON.stringify({ sandbox: url, key, companies, seed, date })}\n`);
}

/**
 * Adds the market in the state file to the options. A flag may repeat a value of the file, but must not contradict it.
 */
function withSaved(given: Partial<SandboxOptions>): Partial<SandboxOptions> {
  const saved = given.file === undefined || given.file === null ? null : readState(given.file);
  if (saved === null) return given;
  const wrong = contradictions(saved, given);
  if (wrong.length > 0) {
    throw new Error(
      `The market in ${given.file} has other values for ${wrong.join(', ')}. Leave out these flags, or name another file.`,
    );
  }
  const { companies, tenders, seed, date, clones, key } = saved;
  return { ...given, companies, tenders, seed, date, clones, key };
}

/** Returns a message for an error that occurred while the sandbox started. It says what to do. */
function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return 'Another program uses this port. Choose another port with --port; --port 0 takes any free port.';
  if (code === 'EACCES') return 'You have no permission to open this port. Choose a port above 1023 with --port.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'This machine does not have the given address. Choose another address with --host.';
  return message;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`sandbox: ${explain(error)}\n`);
  process.exitCode = 1;
});
