/** A variant prepares its data and returns functions. Only `run` is measured. */
export type Variant = () => Promise<{ run: () => Promise<void> | void; after?: () => Promise<void> | void }>;

/** Elapsed time and CPU time (all threads) of each round, in seconds. */
export interface Rounds {
  seconds: number[];
  cpu: number[];
}

/**
 * Runs the variants alternately for several rounds. If other processes use the machine, CPU time varies less than
 * elapsed time.
 */
export async function interleaved(variants: Record<string, Variant>, rounds: number): Promise<Map<string, Rounds>> {
  const taken = new Map(Object.keys(variants).map((name): [string, Rounds] => [name, { seconds: [], cpu: [] }]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, prepare] of Object.entries(variants)) {
      const { run, after } = await prepare();
      const cpu = process.cpuUsage();
      const begun = performance.now();
      await run();
      taken.get(name)?.seconds.push((performance.now() - begun) / 1_000);
      const used = process.cpuUsage(cpu);
      taken.get(name)?.cpu.push((used.user + used.system) / 1e6);
      await after?.();
    }
  }
  return taken;
}
