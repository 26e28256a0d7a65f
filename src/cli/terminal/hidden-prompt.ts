import { tell } from './print.js';

const MAX_LENGTH = 4_096;

/** Control characters that a terminal in raw mode sends. */
const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ['\u0003', '\u0004', '\b', '\u007f'];

/**
 * Reads one line from stdin without showing it. In a terminal, prints the question first.
 * @param signal aborts the reading; the result is then null
 * @returns the line without white space around it; null at the end of the input or after Ctrl-D
 */
export async function readHidden(question: string, signal: AbortSignal): Promise<string | null> {
  const { stdin } = process;
  const isTerminal = stdin.isTTY;
  if (signal.aborted) return null;
  if (isTerminal) process.stderr.write(question);
  return new Promise((resolve) => {
    let typed = '';
    const end = (line: string | null): void => {
      stdin.off('data', take).off('end', finish).pause();
      if (isTerminal) {
        stdin.setRawMode(false);
        tell('');
      }
      signal.removeEventListener('abort', stop);
      resolve(line === null ? null : line.trim());
    };
    const stop = (): void => end(null);
    const finish = (): void => end(typed === '' ? null : typed);
    const take = (text: string): void => {
      for (const character of text) {
        if (character === '\r' || character === '\n') return end(typed);
        if (isTerminal && character === CTRL_D) return end(null);
        // In raw mode, the terminal sends Ctrl-C as a character and not as a signal.
        if (isTerminal && character === CTRL_C) process.kill(process.pid, 'SIGINT');
        else if (isTerminal && (character === BACKSPACE || character === DELETE)) typed = typed.slice(0, -1);
        else if (typed.length < MAX_LENGTH) typed += character;
      }
    };
    if (isTerminal) stdin.setRawMode(true);
    signal.addEventListener('abort', stop, { once: true });
    stdin.setEncoding('utf8').on('data', take).on('end', finish).resume();
  });
}
