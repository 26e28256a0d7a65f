import type { ApiClient } from '../../api-client/index.js';
import { errorMessage } from '../../core/errors.js';
import { writeSecret } from './secret.js';
import type { WatchPlan } from './plan.js';

export interface ApplyResult {
  done: number;
  failed: { id: string; message: string }[];
}

/**
 * Carries a plan out. One company's failure (it may have vanished) does not stop the others; a refused key or a
 * reached limit fails them all alike and is reported once per company. Applying again does only what is left.
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
        // Added before removed: a company is never watched for nothing in between.
        if (add.length > 0) await watch.addFields(id, add);
        if (remove.length > 0) await watch.removeFields(id, remove);
      },
    })),
    ...plan.stop.map((id) => ({ id, run: async () => watch.stop(id) })),
  ];
  const result: ApplyResult = { done: 0, failed: [] };
  // The client bounds what is in flight.
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
 * Registers the callback address where it is not yet; keeps the secret that comes back.
 * @returns whether it was changed, and where the secret lies
 */
export async function applyCallback(
  client: ApiClient,
  dataDir: string,
  callback: string,
): Promise<{ changed: boolean; secretFile: string | null }> {
  const before = await client.v2.watch.getCallback().then(
    ({ data }) => data,
    // None set yet: how the API says so is not in the reference.
    () => null,
  );
  const changed = before?.callback !== callback;
  const now = changed ? (await client.v2.watch.setCallback(callback)).data : before;
  const secretFile =
    typeof now?.secret === 'string' && now.secret !== '' ? await writeSecret(dataDir, now.secret) : null;
  return { changed, secretFile };
}
