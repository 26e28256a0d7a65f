import { companyFilterShape } from '../../schemas/v1/company.js';
import { ProspectingFilters } from '../../schemas/v2/prospecting.js';
import type { SandboxOptions } from '../options.js';
import { FilterError } from '../world/index.js';

type Switches = Pick<SandboxOptions, 'ignoreFilter' | 'refuseFilter'>;

const KNOWN = new Set([...Object.keys(ProspectingFilters.shape), ...Object.keys(companyFilterShape)]);

/**
 * Checks the names of filters in the options. A misspelled name would have no effect.
 *
 * @throws RangeError for a name that is no company filter of version 1 or 2
 */
export function checkFilterNames({ ignoreFilter, refuseFilter }: Switches): void {
  const unknown = [...ignoreFilter, ...refuseFilter].filter((name) => !KNOWN.has(name));
  if (unknown.length > 0)
    throw new RangeError(`${unknown.join(', ')}: neither version 1 nor version 2 has a company filter of this name`);
}

/**
 * Returns the company filters without those that the options tell the sandbox to ignore.
 *
 * @throws FilterError for a filter that the options tell it to refuse
 */
export function allowedFilters<T extends object>(filters: T, { ignoreFilter, refuseFilter }: Switches): T {
  if (ignoreFilter.length === 0 && refuseFilter.length === 0) return filters;
  const refused = Object.keys(filters).find((name) => refuseFilter.includes(name));
  if (refused !== undefined) throw new FilterError(refused, 'Unknown field.');
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !ignoreFilter.includes(name))) as T;
}
