/** Work for a process that runs queries of people. */
export type Job =
  /** Returns the first rows as JSON (`QueryAnswer`). `build`: name of the build, for the answer. */
  | { kind: 'answer'; sql: string; rows: number; build: string }
  /** Returns all rows as CSV, in pieces of text. */
  | { kind: 'csv'; sql: string }
  /** Writes all rows to the file `target`. */
  | { kind: 'parquet' | 'arrow'; sql: string; target: string };

/** Messages to such a process. `more`: send the next piece of text. */
export type ToProcess = { type: 'run'; job: Job } | { type: 'more' };

/** Messages from such a process. After `done` or `failed`, it accepts the next job. */
export type FromProcess =
  | { type: 'text'; text: string }
  | { type: 'done'; text: string }
  | { type: 'failed'; message: string; todo: string };
