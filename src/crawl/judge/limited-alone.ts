import { isLimit } from '../../api/index.js';

// After this many rounds with the same result, it is certain that the API limits only this call.
const ROUNDS = 3;

/**
 * Whether the API limits only the call `again`. True if, in every round, the call `another` gets an answer but the call
 * `again` gets `limit`. Several rounds are needed, because a general rate limit may end between the two calls.
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
