import { CancellationScope } from '@temporalio/workflow';

/**
 * Runs several tasks at the same time and waits until all have ended. Throws the first error. A failed task cancels the
 * other tasks, unless `spares` returns true for its error.
 */
export async function runConcurrently(
  works: (() => Promise<void>)[],
  spares: (error: unknown) => boolean,
): Promise<void> {
  const failed: { yes: boolean; error?: unknown } = { yes: false };
  const scope = new CancellationScope();
  await scope.run(async () => {
    const all = works.map(async (work) => {
      try {
        await work();
      } catch (error) {
        if (!failed.yes) Object.assign(failed, { yes: true, error });
        if (!spares(error)) scope.cancel();
      }
    });
    await Promise.all(all);
  });
  if (failed.yes) throw failed.error;
}
