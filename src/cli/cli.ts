import { CommanderError } from 'commander';
import { keepFilesPrivate } from '../store/file-modes.js';
import { createProgram } from './program.js';
import { printError, USAGE } from './terminal/print-error.js';

/** Runs one command line and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  // `tidemark sql … | head` closes the pipe early, which is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  try {
    const program = await createProgram(argv);
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    return printError(error);
  }
}

// Call this before any file is written: files of Tidemark are readable for their owner only.
keepFilesPrivate();
const code = await main(process.argv.slice(2));
// Exit even if the command left a connection open. First wait until all output is written.
process.stdout.write('', () => process.exit(code));
