/** Runs variants in turn, several rounds, and gives each one's median: noise of a shared machine hits all alike. */
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
  const median = (values: number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  return Object.fromEntries(Object.entries<number[]>(times).map(([name, values]) => [name, median(values)])) as Record<
    Name,
    number
  >;
}

/** A line of a benchmark's result: name, milliseconds, and the ratio to the baseline. */
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
