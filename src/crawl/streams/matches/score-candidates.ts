import type { ApiResponse } from '../../../api/index.js';
import { Database } from '../../../warehouse/duckdb/database.js';
import { readSqlFile } from '../../../warehouse/duckdb/sql-files.js';

/** What the answers so far say about a question. */
export interface Score {
  state: 'matched' | 'ambiguous' | 'unmatched';
  /** Score of the best candidate, 0 to 1; null without a candidate. */
  score: number | null;
  /** Id of the matched company as decimal digits; null in all other states. */
  company_id: string | null;
  /** Ids of up to five candidates, best first. */
  candidates: string[];
}

interface Asked {
  question: string;
  answers: readonly ApiResponse<unknown>[];
}

/** What answers without candidates say. */
export const NOTHING: Score = { state: 'unmatched', score: null, company_id: null, candidates: [] };

let opened: Promise<Database> | undefined;
let running: Promise<unknown> = Promise.resolve();
let next: { asked: Asked[]; scores: Promise<Score[]> } | undefined;

/**
 * Scores the candidates of a question. Uses the SQL macros of the warehouse (sql/macros/match.sql) in a DuckDB in
 * memory. So the crawl and the table core.matches score the same answers in the same way. Questions that arrive while a
 * query runs share the next query, because one query costs the same for one question as for many.
 * @param question canonical JSON
 */
export async function scoreCandidates(question: string, answers: Asked['answers']): Promise<Score> {
  if (next === undefined) {
    const asked: Asked[] = [];
    const scores = running.then(() => {
      next = undefined;
      return scoreAll(asked);
    });
    running = scores.catch(() => undefined);
    next = { asked, scores };
  }
  const { asked, scores } = next;
  const at = asked.push({ question, answers }) - 1;
  return (await scores)[at] ?? NOTHING;
}

async function scoreAll(asked: readonly Asked[]): Promise<Score[]> {
  const db = await (opened ??= open());
  const answers = asked.flatMap(({ question, answers: own }, i) =>
    own.map(({ requestKey, fetchedAt, body }) => ({
      question,
      // Use the number of the question, because two chunks may ask the same question at the same time.
      run: String(i),
      request_key: requestKey,
      // Pass the text, because JavaScript would change the digits of long ids when it parses the text.
      doc: body,
      observed_at: fetchedAt,
    })),
  );
  await db.run(
    `CREATE OR REPLACE TEMP TABLE answers AS
    SELECT * REPLACE (json_read(doc) AS doc), match_kind(question, request_key) AS kind, request_key AS body_hash
    FROM (SELECT unnest(from_json(CAST($answers AS JSON), '[{"question": "VARCHAR", "run": "VARCHAR",
      "request_key": "VARCHAR", "doc": "VARCHAR", "observed_at": "TIMESTAMPTZ"}]'), max_depth := 2))`,
    { answers: JSON.stringify(answers) },
  );
  const found = await db.rows<{ question: string } & Score>(
    `SELECT question, state, score, CASE WHEN state = 'matched' THEN CAST(best_id AS VARCHAR) END AS company_id,
      coalesce(CAST(json_extract_string(candidates, '$[*].company_id') AS VARCHAR[]), []) AS candidates
    FROM match_results('answers')`,
  );
  const scores = new Map(found.map(({ question, ...score }) => [question, score]));
  return asked.map(({ question }) => scores.get(question) ?? NOTHING);
}

async function open(): Promise<Database> {
  const db = await Database.open(':memory:', { threads: '1' });
  await db.addFunctions();
  await db.runFile(readSqlFile('macros/json.sql'));
  await db.runFile(readSqlFile('macros/match.sql'));
  return db;
}
