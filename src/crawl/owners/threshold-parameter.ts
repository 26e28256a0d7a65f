import type { OwnershipSettings } from '../../../schemas/pipeline/run.js';

/** Makes the parameter of a threshold. The reference names none, so the configuration does. */
export function thresholdParameter(
  { parameter, unit }: Pick<OwnershipSettings, 'parameter' | 'unit'>,
  percent: number,
): Record<string, number> {
  // Divide the decimal text, because 33.3 / 100 is not 0.333.
  return { [parameter]: unit === 'percent' ? percent : Number(`${percent}e-2`) };
}
