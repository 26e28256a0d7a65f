import path from 'node:path';

/*
 * Command lines in messages, so that a person can paste them: they call Tidemark as this process was called, and with
 * its configuration.
 */

/** How this process was called. */
interface Call {
  /** Value of `--config`, as given. */
  config?: string | undefined;
  /** Data folder of the commands to print, if another one than the configuration names. */
  dataDir?: string | undefined;
}

let call: Call = {};

// These commands read no configuration.
const WITHOUT_CONFIG = /^tidemark (sandbox|health|completion|help)\b/;
// A command line in backticks, in parentheses, or from a colon to the end of the line.
const LINES =
  /(?<=`)(?:npx )?tidemark [a-z][^`]*(?=`)|(?<=\()(?:npx )?tidemark [a-z][^()`]*(?=\))|(?<=: )(?:npx )?tidemark [a-z].*$/gm;

/** Stores how this process was called. Later calls add to it. */
export function rememberCall(given: Call): void {
  call = { ...call, ...given };
}

/**
 * Returns a command line that can be pasted into a POSIX shell.
 * @param line such as `tidemark snapshot --market nordics`
 */
export function commandLine(line: string): string {
  const bare = line.replace(/^npx /, '');
  const launcher = bare !== line || isNpx() ? 'npx ' : '';
  const withConfig = call.config !== undefined && !WITHOUT_CONFIG.test(bare) && !/ --config\b/.test(bare);
  const data = call.dataDir === undefined ? '' : `TIDEMARK_DATA=${shellQuote(call.dataDir)} `;
  return `${data}${launcher}${bare}${withConfig ? ` --config ${shellQuote(call.config ?? '')}` : ''}`;
}

/** Makes every command line in a text pasteable: those in backticks, in parentheses, and at the end of a line after `: `. */
export function pasteable(text: string): string {
  return text.replace(LINES, commandLine);
}

/** Quotes one word for a POSIX shell, if needed. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether npx or a script of npm started this process, so that a shell may not find `tidemark`. */
function isNpx(): boolean {
  const bin = path.join('node_modules', '.bin', path.sep);
  return (
    (process.argv[1] ?? '').includes(bin) ||
    ['demo', 'sandbox', 'worker'].includes(process.env['npm_lifecycle_event'] ?? '')
  );
}
