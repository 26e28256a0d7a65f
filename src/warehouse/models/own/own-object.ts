/** A macro as its file states it. */
export interface MacroText {
  kind: 'macro';
  /** Name of the function, in lower case. */
  name: string;
  /** Name of the file, as in `SqlFile`. */
  file: string;
  /** Path for messages. */
  path: string;
  /** Statement that creates the macro as a temporary object. */
  sql: string;
}

/** A macro of the user's own folder. DuckDB has created it once. */
export interface Macro extends MacroText {
  /** Queries that read and call the same as the macro. */
  queries: string[];
  /** Names of the own macros and seeds that the macro itself names. */
  names: ReadonlySet<string>;
}

/** A row of a seed. An empty cell is null. */
export interface SeedRow {
  /** Line in the file, from 1. */
  line: number;
  cells: (string | null)[];
}

/** A small table that the user keeps as a CSV file. */
export interface Seed {
  kind: 'seed';
  /** Name of the table, in lower case: `seed_regions` for the file `regions.csv`. */
  name: string;
  /** Name of the CSV file, as in `SqlFile`. */
  file: string;
  /** Path of the CSV file, for messages. */
  path: string;
  /** SQL types by column name, in the order of the file. */
  columns: ReadonlyMap<string, string>;
  rows: SeedRow[];
}

/** A macro or seed of the user's own folder. */
export type OwnObject = Macro | Seed;
