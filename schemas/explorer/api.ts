/*
 * Answers of the explorer's API (`/api/v1`). Times are ISO text in UTC, dates `YYYY-MM-DD`. A whole number that
 * JavaScript cannot hold is text. Amounts of money have their currency next to them.
 */

/** A value of a result: JSON, with large numbers as text. */
export type Cell = null | boolean | number | string | Cell[] | { [key: string]: Cell };

/** A row by column name. */
export type ApiRow = Record<string, Cell>;

export interface ApiError {
  error: { message: string; todo: string };
}

/** The build and the program that answer. */
export interface About {
  version: string;
  build: string;
  built_at: string;
  run: string;
  data_folder: string;
  search_ready: boolean;
  temporal_ui: string | null;
  saved_queries: string;
}

export interface SearchHit {
  company_id: number | string;
  name: string | null;
  country_code: string | null;
  registration_number: string | null;
  vat_number: string | null;
  city: string | null;
  status: string | null;
  in_market: boolean | null;
  left_on: string | null;
  industry: string | null;
  employees: number | null;
}

export interface SearchAnswer {
  hits: SearchHit[];
  /** Whether the search is being prepared. Its first answer comes when it is ready. */
  preparing: boolean;
}

/** An indicator of a fiscal year. */
export interface Figure {
  fiscal_year: number;
  indicator: string;
  kind: string | null;
  value: number | null;
  text: string | null;
  currency: string | null;
  source: string;
  observed_at: string;
  /** Former values of the same year, indicator and source, newest first. Empty if it was never restated. */
  former: { value: number | null; text: string | null; valid_from: string; valid_to: string | null }[];
}

/** A company that owns, or is owned by, another one, or a person. */
export interface OwnerRow {
  threshold: number;
  position: string;
  depth: number;
  owner_id: string | null;
  owner_name: string | null;
  owner_type: string | null;
  country: string | null;
  effective_share: number | null;
  direct_share: number | null;
  is_natural_person: boolean | null;
  is_cycle: boolean;
  /** Id of a company that has a page; null if the owner is unknown here. */
  company_id: number | string | null;
}

/** Everything about one company. A list is null if the published file has no such table. */
export interface CompanyAnswer {
  company: ApiRow;
  summary: ApiRow | null;
  codes: { scheme: string; code_id: number | string | null; value: string | null }[];
  years: ApiRow[];
  figures: Figure[];
  versions: ApiRow[];
  changes: ApiRow[];
  markets: { market: string; first_on: string; last_on: string; nights: number; in_market: boolean }[];
  moves: ApiRow[];
  people: ApiRow[] | null;
  owners: OwnerRow[] | null;
  owned: { company_id: number | string; name: string | null; effective_share: number | null }[] | null;
  rejects: ApiRow[];
}

export interface QueryAnswer {
  columns: { name: string; type: string }[];
  rows: Cell[][];
  /** Whether the query has more rows than the limit. */
  more: boolean;
  /** Whether the answer ended because it was as large as a browser can show, before the limit of rows. */
  full: boolean;
  milliseconds: number;
  build: string;
}

export interface SavedQuery {
  name: string;
  sql: string;
}

/** A table of the published file. */
export interface TableInfo {
  table: string;
  description: string | null;
  rows: number | null;
  columns: { name: string; type: string; comment: string | null }[];
}

export interface SchemaAnswer {
  tables: TableInfo[];
  functions: { name: string; description: string | null; parameters: string[] }[];
}

/** What a change of a model did to its table. */
export interface TableChange {
  version: number | null;
  previous_version: number | null;
  change: string;
  because: string[];
  effects: string[];
  rows_before: number | null;
  rows_after: number | null;
  origin: string;
  applied_at: string;
}

/** A table of the dictionary. What only the model says is null if the file has no text of the model. */
export interface TableEntry {
  table: string;
  description: string | null;
  rows: number | null;
  /** One row per … */
  grain: string | null;
  key: string[];
  /** Key columns that may be NULL. */
  nullable: string[];
  kind: string | null;
  version: number | null;
  owner: string | null;
  tags: string[];
  /** Last day on which the table is published. */
  deprecation_date: string | null;
  /** Tables that the model reads: other models, and tables of loaded records (`ledger`). */
  reads: string[];
  /** Query of the model. */
  sql: string | null;
  /** Versions of the model, the latest first. */
  versions: { version: number; state: string; applied_at: string }[];
  /** What each change of the model did to the table, the latest first. See `meta.model_changes`. */
  changes: TableChange[];
  /** `failing_rows` and `at` are null if the audit has no result in this file. */
  audits: { name: string; severity: string; failing_rows: number | null; at: string | null }[];
  columns: {
    name: string;
    type: string;
    comment: string | null;
    lineage: 'copied' | 'derived' | 'made' | 'unknown' | null;
    /** Columns from which the values come, as `schema.table.column`. */
    from: string[];
  }[];
}

/** A landed stream, and the tables of loaded records that it fills. */
export interface LandingTables {
  stream: string;
  tables: string[];
}

export interface Dictionary {
  tables: TableEntry[];
  streams: LandingTables[];
  /** Tables of loaded records that every stream fills. */
  every_stream: string[];
  /** What is unknown about this file, and why; null if nothing is. */
  missing: string | null;
}

export interface MarketsAnswer {
  /** Nights by market, the oldest first. */
  nights: ApiRow[];
  /** Groups of the companies; `value` is null for companies without a value. */
  breakdown: {
    by: 'country' | 'industry' | 'legal_form' | 'status' | 'size' | 'growth';
    value: string | null;
    companies: number;
    with_turnover: number;
    turnover_eur: number | null;
    /** Companies whose growth is known, and their median. */
    with_growth: number;
    growth_median: number | null;
    /** Fiscal years whose growth is known, each compared with the year before. */
    growth_from: number | null;
    growth_to: number | null;
    /** Growth of the sum of turnover in EUR, at the rates of the later year. `with_growth_eur`: companies in both sums. */
    growth_of_sum: number | null;
    with_growth_eur: number;
  }[];
}

/** What the filters of the tenders offer, and how many tenders are open. */
export interface TendersAnswer {
  /** Values of each filter; `value` is null for tenders without a value. */
  facets: { by: 'status' | 'type' | 'country' | 'industry' | 'donor'; value: string | null; tenders: number }[];
  pipeline: {
    /** Day when tenders were last read; null without tenders. */
    read_on: string | null;
    tenders: number;
    open_tenders: number;
    in_7_days: number;
    in_30_days: number;
    without_deadline: number;
  };
}

/** Everything about one tender. */
export interface TenderAnswer {
  tender: ApiRow;
  donors: { position: number; name: string | null; payload: Cell; tenders: number }[];
  attachments: { url: string | null }[];
  contacts: { kind: string | null; type: string | null; name: string | null }[];
  versions: ApiRow[];
}

/** A code of the filters, with its name in the API's lookup list. */
export interface NamedCode {
  list: string;
  id: number | string;
  name: string;
}

export interface OperationsAnswer {
  nights: ApiRow[];
  /** The last night of each market and of the tenders. */
  quality: ApiRow[];
  runs: ApiRow[];
  coverage: ApiRow[];
  forecasts: ApiRow[];
  requests: ApiRow[];
  quota: ApiRow[];
  freshness: ApiRow[];
  drift: ApiRow[];
  /** The latest search of each market on each night. */
  searches: ApiRow[];
  /** The gaps of each search, and what the segments prove about them. */
  reasons: ApiRow[];
  segments: ApiRow[];
  /** Names of the codes in the filters of segments and gaps. */
  codes: NamedCode[];
  rejects: ApiRow[];
  checks: ApiRow[];
  models: ApiRow[];
  receipt: ApiRow | null;
}

/** What runs now, as Temporal says. */
export interface LiveAnswer {
  reachable: boolean;
  address: string;
  ui: string | null;
  namespace: string;
  error: string | null;
  running: { workflowId: string; type: string; startedAt: string; line: string }[];
  waiting: string[];
  next: { schedule: string; at: string }[];
  warnings: string[];
}
