/**
 * Works through `items` with at most `limit` in flight. The first rejection stops new work; what is in flight is
 * waited for, so that nothing it lands is lost, and then the error is thrown.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
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
  await Promise.all(Array.from({ length: Math.max(1, limit) }, lane));
  if (state.failed) throw state.error;
}
