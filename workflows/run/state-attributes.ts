import type { SearchAttributePair } from '@temporalio/common';
import type { Coverage, Progress } from '../../schemas/pipeline/run.js';
import { COVERAGE_ATTRIBUTE, OUTCOME_ATTRIBUTE, PHASE_ATTRIBUTE, REJECTS_ATTRIBUTE } from '../search-attributes.js';

/**
 * Returns the search attributes that show a run's state. Leaves out values that are not known yet. Pure function.
 * @param registered names of the attributes that the namespace has
 */
export function stateAttributes(
  progress: Pick<Progress, 'phase' | 'outcome' | 'rejects'>,
  coverage: Coverage | null,
  registered: readonly string[],
): SearchAttributePair[] {
  const pairs: SearchAttributePair[] = [
    { key: OUTCOME_ATTRIBUTE, value: progress.outcome ?? 'running' },
    { key: PHASE_ATTRIBUTE, value: progress.phase },
    ...(coverage === null || coverage.share === null ? [] : [{ key: COVERAGE_ATTRIBUTE, value: coverage.share }]),
    ...(progress.rejects === undefined ? [] : [{ key: REJECTS_ATTRIBUTE, value: progress.rejects }]),
  ];
  return pairs.filter(({ key }) => registered.includes(key.name));
}

/**
 * Rounds a coverage down to 4 decimals, so that the list of the Temporal UI can be read. Down: a gap never looks like
 * full coverage. Returns other attributes unchanged. Pure.
 */
export function roundedCoverage(pair: SearchAttributePair): SearchAttributePair {
  if (pair.key.name !== COVERAGE_ATTRIBUTE.name) return pair;
  return { key: COVERAGE_ATTRIBUTE, value: Math.floor(Number(pair.value) * 10_000) / 10_000 };
}
