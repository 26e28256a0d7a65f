import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** One JSON line of a Python program in this folder. */
export interface Answer {
  result?: unknown;
  error?: string;
  done?: number;
}

/** A running Python program that answers each line of JSON with one line. */
export interface PythonProgram {
  ask: (request: object) => Promise<Answer>;
  /** Sends any line. */
  send: (line: string) => Promise<Answer>;
}

/** Starts a Python program and waits for its first line. The program ends with the test. */
export async function startPython(python: string, args: string[], env: NodeJS.ProcessEnv): Promise<PythonProgram> {
  const child = spawn(python, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill());
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4_000)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Answer> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`Python ended: ${errors}`);
    return JSON.parse(value) as Answer;
  };
  await next();
  const send = async (line: string): Promise<Answer> => {
    child.stdin.write(`${line}\n`);
    return next();
  };
  return { send, ask: async (request) => send(JSON.stringify(request)) };
}
