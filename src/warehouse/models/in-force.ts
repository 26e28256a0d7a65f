import type { Model } from './models.js';

/** The models to build and publish on a day. */
export interface ModelsInForce {
  models: Model[];
  /** One sentence for each model that is served after its last day because another served model reads it. */
  overdue: string[];
}

/**
 * Selects the models that are served on a day: all models whose deprecation date has not passed. Also keeps a model
 * that another served model reads, so that a passed date never makes a build fail.
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
    return `${model.model} should be removed after ${model.deprecationDate}, but these models still read it: ${readers.join(', ')}.`;
  });
  return { models: inForce, overdue };
}
