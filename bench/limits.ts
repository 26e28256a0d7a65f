import { createApiClient, type AttemptReport } from '../src/api/index.js';
import { startSandbox } from '../test/helpers/processes.js';

const PER_SECOND = 150;
const AT_ONCE = 8;
const SECONDS = 30;
const WARM_UP = 10;

/**
 * Measures the share of refused requests at an API with a rate limit of 150 requests/s. Ignores the first ten seconds,
 * in which the client adapts to the limit.
 */
export async function benchLimits(): Promise<void> {
  const sandbox = await startSandbox({ companies: 1_000, tenders: 0, 'rate-limit': PER_SECOND });
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1_000;
  const counts = { sent: 0, refused: 0, failed: 0 };
  const onAttempt = ({ error }: AttemptReport): void => {
    if (elapsed() < WARM_UP) return;
    counts.sent++;
    if (error !== null) counts.refused++;
  };
  const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key, maxConcurrency: AT_ONCE, onAttempt });
  const { data } = await client.v2.prospecting({ page: 1 });
  const id = data.data[0]?.id ?? 0;
  const lane = async (): Promise<void> => {
    while (elapsed() < SECONDS) await client.v2.company(id).catch(() => counts.failed++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  await client.close();
  await sandbox.stop();
  const share = ((100 * counts.refused) / counts.sent).toFixed(2);
  const taken = ((counts.sent - counts.refused) / (SECONDS - WARM_UP) / PER_SECOND).toFixed(2);
  process.stdout.write(
    `  ${PER_SECOND} requests/s allowed, ${AT_ONCE} at once, after ${WARM_UP} s: ${share} % refused, ${taken} of the allowed rate used, ${counts.failed} calls given up\n`,
  );
}
