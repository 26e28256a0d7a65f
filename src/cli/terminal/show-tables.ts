import { isatty } from 'node:tty';
import { formatCount } from '../../../schemas/format.js';
import { tableBegun } from '../../base/observed.js';
import { cut } from '../../base/text/display-width.js';
import { terminalWidth } from './print.js';

/** Does some work, and shows as `showTables` does on which table it works, unless the command prints JSON. */
export async function whileShowingTables<T>({ json = false }: { json?: boolean }, work: () => Promise<T>): Promise<T> {
  const stop = json ? () => undefined : showTables();
  try {
    return await work();
  } finally {
    stop();
  }
}

/**
 * Shows on stderr which model is built or which table is published: `  13 of 48  core.companies`. Each line replaces
 * the line before. Shows nothing outside a terminal.
 * @returns a function that removes the line
 */
function showTables(): () => void {
  if (!isatty(process.stderr.fd) || process.env['TERM'] === 'dumb') return () => undefined;
  const replaceLine = (text: string): void => void process.stderr.write(`\r\x1b[K${text}\r`);
  const stop = tableBegun.listen(({ name, done, total }) =>
    replaceLine(cut(`  ${formatCount(done + 1)} of ${formatCount(total)}  ${name}`, terminalWidth(process.stderr) - 1)),
  );
  return () => {
    stop();
    replaceLine('');
  };
}
