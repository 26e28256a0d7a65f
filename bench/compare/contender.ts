import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { RunningSandbox } from '../../test/helpers/processes.js';

/** A program that crawls the market of the sandbox into a DuckDB file. */
export interface Contender {
  name: string;
  run(place: Place): Promise<Outcome>;
}

export interface Place {
  sandbox: RunningSandbox;
  /** Empty folder for the files of this run. */
  folder: string;
  /** The contender calls this function when its first row can be queried. */
  queryable: () => void;
  /** The contender calls this function when all its rows can be queried. */
  done: () => Promise<void>;
}

/** What a run used, and where its rows are. */
export interface Outcome {
  /** CPU seconds, by process. The first process is the contender's own. */
  cpu: Record<string, number>;
  /** Peak memory of the contender's own process. */
  peakMiB: number;
  /** Path of its DuckDB file. */
  file: string;
  /** Query for its companies: id and name. */
  companies: string;
  /** Query for its values: id, year, indicator, and value as text. */
  values: string;
  /** Figures of the Temporal server. */
  temporal?: TemporalShare;
}

export interface TemporalShare {
  /** Version of the server. */
  version: string;
  /** Events in the histories of all workflows of the first night. */
  events: number;
  /** Growth of the server's database in MiB, in the first and in the second night. */
  databaseMiB: [first: number, second: number];
}

/** Runs a program to its end. Its last line is JSON with its CPU seconds and its peak memory. */
export async function runProgram(
  command: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ cpu: number; peakMiB: number }> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const [lines, errors]: string[][] = [[], []];
  createInterface({ input: child.stdout }).on('line', (line) => lines!.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => errors!.push(line));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}:\n${errors!.join('\n')}`);
  return JSON.parse(lines!.at(-1) ?? '') as { cpu: number; peakMiB: number };
}
