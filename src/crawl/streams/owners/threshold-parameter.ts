import type { OwnershipSettings } from '../../../../schemas/pipeline/run.js';

/** Makes the request parameter for a threshold. The reference gives no name for it, so the configuration does. */
export function thresholdParameter(
  { parameter, unit }: Pick<OwnershipSettings, 'parameter' | 'unit'>,
  percent: number,
): Record<string, number> {
  // Compute with the decimal text: 33.3 / 100 is not exactly 0.333.
  return { [parameter]: unit === 'percent' ? percent : Number(`${percent}e-2`) };
}
