/**
 * Runs `work` for every item, with at most `limit` calls at the same time. After the first rejection, starts no new
 * calls and waits for the running ones, so that their answers are landed. Until `opened` resolves, runs one call at a
 * time.
 * @throws the first rejection
 */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
  opened: Promise<unknown> = Promise.resolve(),
): Promise<void> {
  const source = items[Symbol.iterator]();
  const state: { failed: boolean; error?: unknown } = { failed: false };
  const lane = async (): Promise<void> => {
    for (let next = source.next(); !next.done && !state.failed; next = source.next()) {
      try {
        await work(next.value);
      } catch (error) {
        if (!state.failed) Object.assign(state, { failed: true, error });
      }
    }
  };
  const first = lane();
  await Promise.race([opened, first]);
  await Promise.all([first, ...Array.from({ length: Math.max(1, limit) - 1 }, lane)]);
  if (state.failed) throw state.error;
}
