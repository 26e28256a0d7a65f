import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from '../helpers/processes.js';

export interface Program {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Whether the process with this id is ready. */
  isUp: (pid: number) => Promise<boolean>;
  /** Runs after each start, for example to restore lost state. */
  onUp?: () => Promise<void>;
}

const GIVE_UP_MS = 60_000;
const ROOM_LEFT = 2_048;

/** A process that is restarted whenever it ends, as an init system does. */
export class Supervised {
  #child: ChildProcess | null = null;
  #stopping = false;
  #running: Promise<void> = Promise.resolve();
  #said = '';
  /** Number of starts that became ready. */
  starts = 0;

  constructor(
    readonly name: string,
    private readonly program: Program,
  ) {}

  /** Starts the process and keeps it running until `stop`. */
  async start(): Promise<void> {
    await this.#spawn();
    this.#running = this.#watch();
  }

  /** Id of the current process; undefined between two starts. */
  get pid(): number | undefined {
    return this.#child && isRunning(this.#child) ? this.#child.pid : undefined;
  }

  /** The end of its output. */
  output(): string {
    return this.#said.slice(-4_000);
  }

  /** Sends a signal and waits until the next process is ready. */
  async strike(signal: NodeJS.Signals): Promise<void> {
    const before = this.starts;
    this.#child?.kill(signal);
    await waitFor(`${this.name} comes back`, () => Promise.resolve(this.starts > before), this);
  }

  /**
   * Limits file sizes for some time: the kernel refuses larger writes ("File too large"), to Node and DuckDB alike.
   * Needs `prlimit` of util-linux.
   */
  async fillDisk(milliseconds: number): Promise<void> {
    const limitFiles = (bytes: number | 'unlimited'): void => {
      const pid = this.#child?.pid;
      // Between two starts there is no process to limit.
      if (pid !== undefined) spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
    };
    limitFiles(ROOM_LEFT);
    await sleep(milliseconds);
    limitFiles('unlimited');
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#child?.kill('SIGTERM');
    const killer = setTimeout(() => this.#child?.kill('SIGKILL'), 10_000);
    await this.#running;
    clearTimeout(killer);
  }

  async #spawn(): Promise<void> {
    const { command, args, env, cwd, isUp, onUp } = this.program;
    const child = spawn(command, command === process.execPath ? compiled(args) : args, {
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.#said = (this.#said + chunk.toString()).slice(-20_000)));
    }
    await waitFor(`${this.name} serves`, async () => !isRunning(child) || isUp(child.pid ?? 0), this);
    // A process that ended before it was ready is restarted by `#watch` and not counted.
    if (!isRunning(child)) return;
    await onUp?.();
    this.starts++;
  }

  async #watch(): Promise<void> {
    while (!this.#stopping) {
      const child = this.#child;
      if (child && isRunning(child)) await once(child, 'exit');
      if (!this.#stopping) await this.#spawn();
    }
    const child = this.#child;
    if (child && isRunning(child)) await once(child, 'exit');
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function waitFor(what: string, holds: () => Promise<boolean>, of: Supervised): Promise<void> {
  const deadline = Date.now() + GIVE_UP_MS;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}\n${of.output()}`);
    await sleep(50);
  }
}
