import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const SAMPLE_MS = 50;

/** CPU seconds and memory of a process at one instant. */
export interface Sample {
  /** Milliseconds since 1970. */
  at: number;
  /** CPU seconds of all threads since the process started. */
  cpu: number;
  /** CPU seconds of the main thread, which runs the event loop. */
  mainCpu: number;
  /** Resident memory in MiB. */
  mib: number;
}

/** Samples CPU time and memory of a process every 50 ms, from `/proc` (Linux only). */
export class ProcessMeter {
  readonly samples: Sample[] = [];
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** Stops sampling. Returns the peak resident memory of the process in MiB, as the kernel recorded it (`VmHWM`). */
  stop(): number {
    clearInterval(this.#timer);
    this.#sample();
    return readPeakMemory(this.#pid);
  }

  #sample(): void {
    this.samples.push({
      at: Date.now(),
      cpu: readCpu(`/proc/${this.#pid}/stat`),
      mainCpu: readCpu(`/proc/${this.#pid}/task/${this.#pid}/stat`),
      mib: readStatus(this.#pid, 'VmRSS'),
    });
  }
}

/** Returns the peak resident memory of a process in MiB. */
export function readPeakMemory(pid: number): number {
  return readStatus(pid, 'VmHWM');
}

function readStatus(pid: number, name: string): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
}

let ticks: number | undefined;

/** Returns the CPU seconds (user and system) of a process or thread. */
function readCpu(file: string): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const text = readFileSync(file, 'utf8');
  // The name of the process, in brackets, may contain spaces. The fields after it start with the state (field 3).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}
