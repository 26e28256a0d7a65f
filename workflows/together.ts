import { CancellationScope } from '@temporalio/workflow';

/**
 * Does several things at once and waits for all to end, so that nothing of them goes on behind what follows. The first
 * that fails cancels the others, unless `spares` says that they may finish; its error is thrown.
 */
export async function together(works: (() => Promise<void>)[], spares: (error: unknown) => boolean): Promise<void> {
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
