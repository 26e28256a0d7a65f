/** Answer of the quota gate to the query `gate`. */
export interface GateReport {
  /** Workflow ids of the waiting runs, in the order in which they continue. */
  waiting: string[];
  /** The gate's last reading of the daily quota. Null before the first reading, and if the API gives no figure. */
  quota: { used: number; total: number; readAt: string } | null;
  /** When the gate reads the quota again; null while it does not wait for a reading. */
  readsAt: string | null;
}
