import { isLimit } from '../api-client/index.js';

// A call that is answered `limit` so many times in turn with another that is answered is limited by itself.
const ROUNDS = 3;

/**
 * Whether `limit` concerns one call alone: another is answered each time before it is limited again. A limit that is
 * lifted meanwhile does not pass for one.
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
