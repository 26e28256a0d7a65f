import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

// Moves the cursor or clears a line, to draw a line again.
const REDRAW = new RegExp(`${String.fromCharCode(27)}\\[\\d*[AJK]`, 'g');

/** Whether this machine has `script`, which gives a command a terminal. */
export function hasPty(): boolean {
  return spawnSync('script', ['-qec', 'stty size', '/dev/null']).status === 0;
}

/** A command in a terminal of its own. */
export interface InPty {
  child: ChildProcess;
  /** Output so far, with control sequences. */
  raw(): string;
  /** Output so far as lines of text. A line that is drawn again counts each time. */
  lines(): string[];
  /** Exit code. */
  ended: Promise<number | null>;
}

/** Runs a command in a terminal with `columns` columns and 40 rows. */
export function runInPty(
  command: readonly string[],
  { columns, cwd, env }: { columns: number; cwd: string; env: NodeJS.ProcessEnv },
): InPty {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 40; exec ${quoted}`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    child,
    raw: () => output,
    lines: () => stripVTControlCharacters(output.replaceAll(REDRAW, '\n')).split(/[\r\n]+/),
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}
