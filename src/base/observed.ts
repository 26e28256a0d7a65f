import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Facts that libraries report about their work. Without a listener, a report costs nothing. */
export interface Observed<Fact> {
  report(fact: Fact): void;
  /**
   * Calls `listener` for each later fact. Ignores errors of the listener, because they must not stop the work.
   * @returns a function that ends the calls
   */
  listen(listener: (fact: Fact) => void): () => void;
}

function observed<Fact>(name: string): Observed<Fact> {
  const facts = channel(`tidemark:${name}`);
  return {
    report: (fact) => facts.publish(fact),
    listen(listener) {
      const safely = (fact: unknown): void => {
        try {
          listener(fact as Fact);
        } catch {
          // A listener only shows or counts the fact. That must not stop a run.
        }
      };
      subscribe(`tidemark:${name}`, safely);
      return () => void unsubscribe(`tidemark:${name}`, safely);
    },
  };
}

/** A part was committed to the landing zone. */
export const partLanded = observed<{ stream: string; rows: number; bytes: number }>('part-landed');

/** Most usage metrics that a reading reports. The API chooses their names, and they become rows and labels. */
export const MOST_METRICS = 100;

/** One usage metric of /v2/metrics was read. */
export const quotaRead = observed<QuotaReading>('quota-read');

/** A usage metric of the API. `total` is 0 if the API gives no figure; `readAt` is an ISO instant. */
export interface QuotaReading {
  metric: string;
  used: number;
  total: number;
  readAt: string;
}

/** The work on a table begins: a model is built, or a table is published. */
export const tableBegun = observed<TableBegun>('table-begun');

/** A table, and how many tables of this step come before it. */
export interface TableBegun {
  name: string;
  done: number;
  total: number;
}

/** A new build of the published warehouse became current. */
export const buildPublished = observed<{ seconds: number }>('build-published');
