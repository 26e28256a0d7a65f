import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled, ROOT } from '../../helpers/processes.js';
import type { ActorName, PlannedStrike } from './plan.js';

/** A process that takes part in a round. */
export class Actor {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #said = '';
  /** True once the test sent a signal that ends it. */
  struck = false;

  constructor(
    readonly name: ActorName,
    args: string[],
    env: NodeJS.ProcessEnv,
    private readonly options: { isAtWork: (actor: Actor) => Promise<string | null> },
  ) {
    this.#child = spawn(process.execPath, compiled(['bin/tidemark.mjs', ...args]), {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#said = (this.#said + chunk.toString()).slice(-20_000)));
    this.#ended = new Promise((resolve) => this.#child.once('close', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
  /** Exit code; null while it runs or if a signal ended it. */
  get code(): number | null {
    return this.#child.exitCode;
  }
  get identity(): string {
    return `${this.pid}@${hostname()}`;
  }
  output(): string {
    return this.#said;
  }

  /** What the process is doing; null before it starts work and after it ended. */
  async work(): Promise<string | null> {
    return this.hasEnded ? null : this.options.isAtWork(this).catch(() => null);
  }

  /** Strikes the process once it is working, and returns what it was doing; null if it ended before. */
  async strike({ signal, afterMs, frozenMs }: PlannedStrike): Promise<string | null> {
    while ((await this.work()) === null) {
      if (this.hasEnded) return null;
      await sleep(30);
    }
    await sleep(afterMs);
    const doing = await this.work();
    if (doing === null || this.hasEnded) return null;
    this.struck ||= signal === 'SIGKILL';
    this.#child.kill(signal);
    if (signal === 'SIGKILL') {
      await this.#ended;
      return `killed ${this.name} (${doing})`;
    }
    await sleep(frozenMs);
    this.#child.kill('SIGCONT');
    return `froze ${this.name} for ${(frozenMs / 1_000).toFixed(1)} s (${doing})`;
  }

  /** Waits for the process to end; false on timeout. */
  async ends(withinMs: number): Promise<boolean> {
    return Promise.race([this.#ended.then(() => true), sleep(withinMs, false, { ref: false })]);
  }

  /** Ends the process. */
  async stop(signal: 'SIGTERM' | 'SIGKILL', withinMs = 30_000): Promise<boolean> {
    if (this.hasEnded) return true;
    this.struck ||= signal === 'SIGKILL';
    this.#child.kill('SIGCONT');
    this.#child.kill(signal);
    const ended = await this.ends(withinMs);
    if (!ended) this.#child.kill('SIGKILL');
    await this.#ended;
    return ended;
  }
}

/** A file inside a folder that a process has open; null if none. Reads /proc, so works on Linux only. */
export function openFileIn(pid: number, folder: string): string | null {
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      try {
        const file = readlinkSync(`/proc/${pid}/fd/${fd}`);
        if (file.startsWith(`${folder}/`)) return path.relative(folder, file);
      } catch {
        // Closed in the meantime.
      }
    }
  } catch {
    // The process has ended.
  }
  return null;
}
