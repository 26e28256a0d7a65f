import { newGauge, type MetricsRegistry } from './registry.js';

/** A source of metrics that is read at each scrape. */
export interface Collector {
  /** Value of the label `collector`. */
  name: string;
  /** Sets the collector's metrics. Its metrics keep their last values if it throws. */
  collect(): Promise<void>;
}

// Prometheus gives up a scrape after 10 s by default.
const LONGEST_MS = 5_000;

/**
 * Returns a function that runs all collectors at once and then writes all metrics as OpenMetrics text. A collector that
 * fails or takes more than 5 s does not fail the scrape; `tidemark_collector_success` shows it.
 */
export function createScrape(registry: MetricsRegistry, collectors: readonly Collector[]): () => Promise<string> {
  const success = newGauge(
    registry,
    'tidemark_collector_success',
    'Whether the source of some metrics could be read at this scrape (1) or not (0); if not, its metrics keep their last values.',
    ['collector'],
  );
  return async () => {
    const run = async (collector: Collector): Promise<void> => {
      const isRead = await within(LONGEST_MS, collector.collect()).catch(() => false);
      success.set({ collector: collector.name }, isRead ? 1 : 0);
    };
    await Promise.all(collectors.map(run));
    return registry.metrics();
  };
}

/** Resolves to true when the work ends in time, to false otherwise. */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms).unref();
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Caches the answer of `ask` for `ms` milliseconds. Calls while `ask` is running wait for the same answer. */
export function remembered<Answer>(ms: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  let until = 0;
  return () => {
    if (answer !== undefined && performance.now() < until) return answer;
    until = performance.now() + ms;
    const asked = ask();
    asked.catch(() => {
      if (answer === asked) answer = undefined;
    });
    answer = asked;
    return asked;
  };
}
