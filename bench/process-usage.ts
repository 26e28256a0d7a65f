import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

let ticks: number | undefined;

/** Returns the CPU seconds that a running process and its ended children used so far. Works on Linux only. */
export function cpuSeconds(pid: number): number {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  // The second field is the command in brackets, which may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  // utime, stime, cutime and cstime are the fields 14 to 17 of the line, so 11 to 14 after the command.
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
}

/** Returns the peak memory of a running process in MiB. Works on Linux only. */
export function peakMiB(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

/** Module for `node --import`: prints the CPU seconds of a process at its end, on stderr. */
export const CPU_REPORT =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();' +
  'process.stderr.write("\\ncpu "+(user+system)/1e6)})';

/** Reads the CPU seconds that a process with `CPU_REPORT` printed. */
export function readCpuReport(stderr: string): number {
  return Number(/^cpu (\S+)$/m.exec(stderr)?.[1]);
}
