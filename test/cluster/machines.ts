import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { compiled } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { waitUntil } from '../helpers/sandbox.js';

/** A machine of the cluster: its own folder and network, and one process of Tidemark. */
export class Machine {
  readonly project: Project;
  /** Address of the machine for this process. */
  readonly address: string;
  readonly #run: readonly string[];
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;

  constructor(project: Project, { run, address }: { run: readonly string[]; address: string }) {
    this.project = project;
    this.address = address;
    this.#run = run;
  }

  /** Starts `tidemark …` and waits for a line that matches. */
  async start(args: readonly string[], ready: RegExp): Promise<this> {
    const [program = '', ...before] = this.#run;
    const command = [...before, process.execPath, ...compiled(['bin/tidemark.mjs', ...args])];
    const child = spawn(program, command, {
      cwd: this.project.dir,
      env: this.project.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => this.#lines.push(line));
    await waitUntil(`${args.join(' ')} is ready`, async () => {
      if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended:\n${this.output()}`);
      return ready.test(this.output());
    });
    return this;
  }

  output(): string {
    return this.#lines.join('\n');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Kills the process and removes the disk. */
  async lose(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.project.dataDir, { recursive: true, force: true });
  }

  /** Whether the process writes the warehouse now or did before. */
  get writes(): boolean {
    return this.output().includes('this process writes the warehouse now');
  }
}
