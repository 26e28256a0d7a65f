/** A route that the API refuses to this API key. The run continues without it. */
export interface Refusal {
  /** Landing stream that the run then fetches only in part, or not at all. */
  stream: string;
  /** For example `GET /v2/financial/{id}`. */
  endpoint: string;
  /** The missing permission, module and app; null when the API does not name them. */
  permission: string | null;
  module: string | null;
  app: string | null;
  /** The API's `error_guard`; null when the answer has none. */
  guard: string | null;
  /** The API's message, at most 300 characters. */
  message: string;
  /** Another route that gives the same records, so that no record is missing. Left out when there is none. */
  replacedBy?: string;
}
