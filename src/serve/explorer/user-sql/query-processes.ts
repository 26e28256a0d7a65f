import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { invalidInput, TidemarkError } from '../../../base/errors.js';
import { MAX_EXPORT, MAX_MEMORY } from './limits.js';
import type { FromProcess, Job, ToProcess } from './messages.js';
import { ENDED_BY } from './watchdog.js';

// Tests run the sources.
const SOURCES = import.meta.url.endsWith('.ts');
const MODULE = fileURLToPath(new URL(SOURCES ? './query-process.ts' : './query-process.js', import.meta.url));
/** Processes without work that are kept for the next query. */
const MAX_IDLE = 2;
/** Most characters of standard error that are kept. */
const MAX_STDERR = 2_000;

/** How a job ended. */
type Outcome = Exclude<FromProcess, { type: 'piece' }> | TidemarkError;

/** How one job runs. */
export interface JobOptions {
  /** Most time in seconds. */
  seconds: number;
  /** Cancels the job. */
  signal: AbortSignal;
  /** Takes the pieces of an export, one after the other. */
  onPiece?: (piece: string | Uint8Array) => Promise<void>;
}

/**
 * Runs queries of people on one published file, each in a separate process: a query can end its process, or take all
 * of its memory, but nothing else. A process without work runs the next query.
 */
export class QueryProcesses {
  readonly #args: [file: string, scratch: string];
  readonly #idle: QueryProcess[] = [];
  readonly #all = new Set<QueryProcess>();
  #closed = false;

  /** @param scratch private folder, the only one to which the processes may write */
  constructor(file: string, scratch: string) {
    this.#args = [file, scratch];
  }

  /**
   * Runs one job. Returns the text of its answer.
   * @throws TidemarkError `InvalidInput` when the query is wrong, was cancelled, ended its process, or exceeds a limit
   */
  async run(job: Job, options: JobOptions): Promise<string> {
    if (options.signal.aborted) throw cancelled();
    const process = this.#idle.pop() ?? this.#start();
    try {
      return await process.run(job, options);
    } finally {
      if (process.alive && !this.#closed && this.#idle.length < MAX_IDLE) this.#idle.push(process);
      else process.kill();
    }
  }

  /** Ends all processes, and their jobs. */
  close(): void {
    this.#closed = true;
    for (const process of this.#all) process.kill();
  }

  #start(): QueryProcess {
    const process = new QueryProcess(this.#args, () => {
      this.#all.delete(process);
      const at = this.#idle.indexOf(process);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.#all.add(process);
    return process;
  }
}

/** One process. It runs one job at a time. */
class QueryProcess {
  readonly #child: ChildProcess;
  #stderr = '';
  #job: { settle: (outcome: Outcome) => void; onPiece: JobOptions['onPiece'] } | undefined;
  alive = true;

  constructor(args: readonly string[], onExit: () => void) {
    this.#child = fork(MODULE, args, {
      // A query must not find secrets there, so the process gets only what it needs to start.
      env: pick(process.env, ['PATH', 'TMPDIR', 'TEMP', 'SystemRoot']),
      execArgv: SOURCES ? ['--import', 'tsx'] : [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.#stderr = (this.#stderr + data.toString()).slice(-MAX_STDERR);
    });
    this.#child.on('message', (message: FromProcess) => void this.#onMessage(message));
    this.#child.on('error', () => undefined);
    this.#child.on('close', (code, signal) => {
      this.alive = false;
      onExit();
      this.#job?.settle(ended(this.#stderr, signal ?? `exit code ${code}`));
    });
  }

  async run(job: Job, { seconds, signal, onPiece }: JobOptions): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    let cancel = (): void => undefined;
    const outcome = await new Promise<Outcome>((resolve) => {
      const stop = (why: TidemarkError): void => {
        this.kill();
        resolve(why);
      };
      cancel = () => stop(cancelled());
      timer = setTimeout(() => stop(tooLong(seconds)), seconds * 1000);
      signal.addEventListener('abort', cancel, { once: true });
      this.#job = { onPiece, settle: resolve };
      this.#send({ type: 'run', job });
    });
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    this.#job = undefined;
    if (outcome instanceof TidemarkError) throw outcome;
    if (outcome.type === 'failed') throw invalidInput(outcome.message, outcome.todo);
    return outcome.text;
  }

  kill(): void {
    this.alive = false;
    this.#child.kill('SIGKILL');
  }

  async #onMessage(message: FromProcess): Promise<void> {
    if (message.type !== 'piece') return this.#job?.settle(message);
    try {
      await this.#job?.onPiece?.(message.piece);
      this.#send({ type: 'more' });
    } catch (error) {
      this.kill();
      this.#job?.settle(cancelled(error));
    }
  }

  #send(message: ToProcess): void {
    // If the process ended, `close` settles the job.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}

function cancelled(cause?: unknown): TidemarkError {
  return invalidInput('The query was cancelled.', 'Run it again when you need it.', cause);
}

function tooLong(seconds: number): TidemarkError {
  return invalidInput(
    `The query ran longer than ${seconds} s and was stopped.`,
    'Select fewer rows, or raise the time limit next to the editor.',
  );
}

function ended(stderr: string, how: string): TidemarkError {
  const fewer = 'Select fewer rows or columns, or shorter texts.';
  if (stderr.includes(ENDED_BY.file))
    return invalidInput(`The export is larger than ${MAX_EXPORT / 2 ** 30} GiB.`, fewer);
  if (stderr.includes(ENDED_BY.memory) || how === 'SIGKILL')
    return invalidInput(
      `The query needed more than ${Math.round(MAX_MEMORY / 2 ** 20)} MiB of memory and was stopped.`,
      fewer,
    );
  const [reason = ''] = stderr.trim().split('\n').slice(-1);
  return invalidInput(
    `The query ended the process that runs queries (${how})${reason === '' ? '.' : `: ${reason}`}`,
    'This is a fault of DuckDB. Write the query differently. Other queries still work.',
  );
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
