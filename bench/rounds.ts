/**
 * Runs the variants alternately for several rounds: work of other processes then affects all of them equally.
 * @returns the median time of each variant in milliseconds
 */
export async function medians<Name extends string>(
  variants: Record<Name, () => Promise<void> | void>,
  rounds = 5,
): Promise<Record<Name, number>> {
  const times = Object.fromEntries(Object.keys(variants).map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(variants) as Name[]) {
      const begun = performance.now();
      await variants[name]();
      times[name].push(performance.now() - begun);
    }
  }
  return Object.fromEntries(Object.entries<number[]>(times).map(([name, values]) => [name, median(values)])) as Record<
    Name,
    number
  >;
}

/** Prints one line per variant: name, milliseconds, ratio to the baseline and `extra`. */
export function printMedians(
  result: Record<string, number>,
  baseline: string,
  extra: Record<string, string> = {},
): void {
  const base = result[baseline] ?? Number.NaN;
  for (const [name, ms] of Object.entries(result)) {
    process.stdout.write(
      `  ${name.padEnd(28)} ${ms.toFixed(0).padStart(7)} ms   ${(ms / base).toFixed(2)} × ${baseline}   ${extra[name] ?? ''}\n`,
    );
  }
}

/** A variant prepares its data and returns functions. Only `run` is measured. */
export type Variant = () => Promise<{ run: () => Promise<void> | void; after?: () => Promise<void> | void }>;

/**
 * Runs the variants alternately for several rounds. If other processes use the machine, CPU time varies less than
 * elapsed time.
 * @returns medians of elapsed time and of CPU time (all threads) of each variant, and its CPU times of all rounds, in
 * milliseconds
 */
export async function interleaved(
  variants: Record<string, Variant>,
  rounds: number,
): Promise<Record<string, { ms: number; cpu: number; cpus: number[] }>> {
  const taken = new Map(Object.keys(variants).map((name) => [name, { ms: [] as number[], cpu: [] as number[] }]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, prepare] of Object.entries(variants)) {
      const { run, after } = await prepare();
      const cpu = process.cpuUsage();
      const begun = performance.now();
      await run();
      taken.get(name)?.ms.push(performance.now() - begun);
      const used = process.cpuUsage(cpu);
      taken.get(name)?.cpu.push((used.user + used.system) / 1000);
      await after?.();
    }
  }
  return Object.fromEntries(
    [...taken].map(([name, { ms, cpu }]) => [name, { ms: median(ms), cpu: median(cpu), cpus: cpu }]),
  );
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
