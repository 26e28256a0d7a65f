/**
 * What a run cost, and what caused it. Causes and costs have names, such as `searched` and `requests`.
 */
export interface Observation<Cause extends string, Cost extends string> {
  causes: Record<Cause, number>;
  costs: Record<Cost, number>;
}

/** Cost of a run without any cause, and cost of each unit of a cause. All are 0 or more. */
export interface CostModel<Cause extends string> {
  fixed: number;
  each: Record<Cause, number>;
}

/**
 * Fits a linear model of one cost: least squares of the relative errors. Leaves out causes whose cost would be negative.
 * Needs at least as many different observations as the model has parameters.
 */
export function fitCost<Cause extends string, Cost extends string>(
  observations: readonly Observation<Cause, Cost>[],
  cost: Cost,
): CostModel<Cause> {
  const causes = Object.keys(observations[0]?.causes ?? {}) as Cause[];
  const terms: (Cause | 'fixed')[] = ['fixed', ...causes];
  for (;;) {
    const parameters = leastSquares(
      observations.map(({ causes: of, costs }) => {
        const weight = costs[cost] === 0 ? 1 : 1 / costs[cost];
        return {
          inputs: terms.map((term) => weight * (term === 'fixed' ? 1 : of[term])),
          output: weight * costs[cost],
        };
      }),
    );
    const lowest = parameters.indexOf(Math.min(...parameters));
    if (parameters[lowest] !== undefined && parameters[lowest] < 0) {
      terms.splice(lowest, 1);
      continue;
    }
    const of = (term: Cause | 'fixed'): number => parameters[terms.indexOf(term)] ?? 0;
    const each = Object.fromEntries(causes.map((cause) => [cause, of(cause)])) as Record<Cause, number>;
    return { fixed: of('fixed'), each };
  }
}

/** Returns the cost that a model expects. */
export function predictCost<Cause extends string>(model: CostModel<Cause>, causes: Record<Cause, number>): number {
  const names = Object.keys(model.each) as Cause[];
  return names.reduce((total, cause) => total + model.each[cause] * causes[cause], model.fixed);
}

/** Solves the normal equations by Gaussian elimination. A term that the observations cannot tell apart becomes 0. */
function leastSquares(rows: readonly { inputs: number[]; output: number }[]): number[] {
  const size = rows[0]?.inputs.length ?? 0;
  const sums = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (_unused, j) => sum(rows.map(({ inputs }) => inputs[i]! * inputs[j]!))),
    sum(rows.map(({ inputs, output }) => inputs[i]! * output)),
  ]);
  for (let column = 0; column < size; column++) {
    const pivot = sums.slice(column).reduce((best, row, index) => {
      return Math.abs(row[column]!) > Math.abs(sums[best]![column]!) ? index + column : best;
    }, column);
    [sums[column], sums[pivot]] = [sums[pivot]!, sums[column]!];
    const divisor = sums[column]![column]!;
    if (Math.abs(divisor) < 1e-300) continue;
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = sums[row]![column]! / divisor;
      sums[row] = sums[row]!.map((value, index) => value - factor * sums[column]![index]!);
    }
  }
  return sums.map((row, index) => (Math.abs(row[index]!) < 1e-300 ? 0 : row[size]! / row[index]!));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
