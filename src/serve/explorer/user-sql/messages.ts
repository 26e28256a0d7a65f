/** Work for a process that runs queries of people. */
export type Job =
  /** Returns the first rows as JSON (`QueryAnswer`). `build`: name of the build, for the answer. */
  | { kind: 'answer'; sql: string; rows: number; build: string }
  /** Returns all rows as CSV or in the streaming format of Arrow IPC, in pieces. */
  | { kind: 'csv' | 'arrow'; sql: string }
  /** Writes all rows to the file `target`. */
  | { kind: 'parquet'; sql: string; target: string };

/** Messages to such a process. `more`: send the next piece. */
export type ToProcess = { type: 'run'; job: Job } | { type: 'more' };

/** Messages from such a process. After `done` or `failed`, it accepts the next job. */
export type FromProcess =
  | { type: 'piece'; piece: string | Uint8Array }
  | { type: 'done'; text: string }
  | { type: 'failed'; message: string; todo: string };
