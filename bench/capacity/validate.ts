import { errorOf, fitCosts, type CostModels, type CostName } from './cost-models.js';
import type { Measurement } from './read-runs.js';

/** How far predictions were off, as shares: 0.1 is 10 % too high. Undefined if the run has no such figure. */
export interface Errors {
  /** The largest measured market, predicted from the smaller ones. */
  own: number | undefined;
  /** The control, predicted from all runs. */
  control: number | undefined;
}

/** Computes the errors of all costs. */
export function validate(runs: readonly Measurement[], control: readonly Measurement[]): Map<CostName, Errors> {
  const largest = Math.max(...runs.map(({ companies }) => companies));
  const smaller = fitCosts(runs.filter(({ companies }) => companies < largest));
  const all = fitCosts(runs);
  const errors = new Map<CostName, Errors>();
  for (const name of Object.keys(all) as CostName[]) {
    const of = (models: CostModels, from: readonly Measurement[], run: Measurement): number | undefined =>
      errorOf(models, name, run, from.slice(0, from.indexOf(run)));
    const own = runs.filter(({ companies }) => companies === largest);
    errors.set(name, {
      own: own.map((run) => of(smaller, own, run)).findLast((error) => error !== undefined),
      control: control.map((run) => of(all, control, run)).findLast((error) => error !== undefined),
    });
  }
  return errors;
}
