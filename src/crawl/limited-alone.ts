import { isLimit } from '../api-client/index.js';

// Rounds of both calls before the limited call counts as limited alone.
const ROUNDS = 3;

/**
 * Whether `limit` concerns one call alone: in each round `another` is answered and `again` is limited. If a general
 * limit ends in between, the result is false.
 */
export async function isLimitedAlone(again: () => Promise<unknown>, another: () => Promise<unknown>): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    if ((await outcomeOf(another)) !== 'answered' || (await outcomeOf(again)) !== 'limited') return false;
  }
  return true;
}

async function outcomeOf(call: () => Promise<unknown>): Promise<'answered' | 'limited' | 'failed'> {
  try {
    await call();
    return 'answered';
  } catch (error) {
    return isLimit(error) ? 'limited' : 'failed';
  }
}
