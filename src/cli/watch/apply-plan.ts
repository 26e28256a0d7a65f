import type { ApiClient } from '../../api/index.js';
import { errorMessage } from '../../base/errors.js';
import { isSameAddress } from '../../serve/webhooks/delivery-path.js';
import { writeSecret } from './secret.js';
import type { WatchPlan } from './plan.js';
import type { Data } from '../../store/data.js';

/** Result of `applyPlan`: the number of applied changes, and the companies whose change failed. */
export interface ApplyResult {
  done: number;
  failed: { id: string; message: string }[];
}

/**
 * Applies a plan. If a change fails, for example because the company no longer exists, continues with the other
 * companies. If the API key is refused or a limit is reached, every change fails. To apply the failed changes, make a
 * new plan and apply it.
 */
export async function applyPlan(
  client: ApiClient,
  plan: WatchPlan,
  fields: readonly string[] | undefined,
  onDone: (done: number) => void,
): Promise<ApplyResult> {
  const { watch } = client.v2;
  const steps: { id: string; run: () => Promise<unknown> }[] = [
    ...plan.start.map((id) => ({ id, run: async () => watch.start(id, fields) })),
    ...plan.change.map(({ id, add, remove }) => ({
      id,
      run: async () => {
        // Add fields before removing others, so that the company always has a watched field.
        if (add.length > 0) await watch.addFields(id, add);
        if (remove.length > 0) await watch.removeFields(id, remove);
      },
    })),
    ...plan.stop.map((id) => ({ id, run: async () => watch.stop(id) })),
  ];
  const result: ApplyResult = { done: 0, failed: [] };
  // The client limits the requests in flight.
  await Promise.all(
    steps.map(async ({ id, run }) => {
      try {
        await run();
        onDone(++result.done);
      } catch (error) {
        result.failed.push({ id, message: errorMessage(error) });
      }
    }),
  );
  return result;
}

/**
 * Registers the callback address if the API has another one, and saves the secret that the API returns.
 * @returns Whether the address changed, and the file with the secret; null when the API returned no secret
 */
export async function applyCallback(
  client: ApiClient,
  data: Data,
  callback: string,
): Promise<{ changed: boolean; secretFile: string | null }> {
  const before = await client.v2.watch.getCallback().then(
    (answer) => answer.data,
    // Treat any error as "no callback is set": the reference does not show the API's answer in this case.
    () => null,
  );
  const changed = typeof before?.callback !== 'string' || !isSameAddress(before.callback, callback);
  const now = changed ? (await client.v2.watch.setCallback(callback)).data : before;
  const secretFile = typeof now?.secret === 'string' && now.secret !== '' ? await writeSecret(data, now.secret) : null;
  return { changed, secretFile };
}
