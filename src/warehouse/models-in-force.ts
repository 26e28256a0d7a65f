import type { Model } from './models.js';

export interface ModelsInForce {
  /** What is built and published. */
  models: Model[];
  /** Models and older versions whose last day has passed. */
  retired: Model[];
  /** In words: those past their day that stay since a model still reads them. */
  overdue: string[];
}

/**
 * Which models are served on a day: all but those past their deprecation date. One that a model still reads stays, so that a day that passes never breaks a night.
 * @param day `YYYY-MM-DD`
 */
export function modelsInForce(models: readonly Model[], day: string): ModelsInForce {
  const isPast = ({ deprecationDate }: Model): boolean => deprecationDate !== null && deprecationDate < day;
  const served = new Set<string>();
  const serve = (model: Model): void => {
    if (served.has(model.model)) return;
    served.add(model.model);
    for (const parent of models.filter((other) => model.parents.includes(other.model))) serve(parent);
  };
  for (const model of models) if (!isPast(model)) serve(model);
  const inForce = models.filter((model) => served.has(model.model));
  const overdue = inForce.filter(isPast).map((model) => {
    const readers = inForce.filter(({ parents }) => parents.includes(model.model)).map((reader) => reader.model);
    return `${model.model} should be removed after ${model.deprecationDate}, but ${readers.join(', ')} still reads it.`;
  });
  return { models: inForce, retired: models.filter((model) => !served.has(model.model)), overdue };
}

/** The day in UTC, as deprecation dates are meant. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}
