import type { ApiResponse } from '../../../api/index.js';
import { Database } from '../../../warehouse/duckdb/database.js';
import { insertRows } from '../../../warehouse/duckdb/insert-rows.js';
import { readSqlFile } from '../../../warehouse/duckdb/sql-files.js';

/** What the answers so far say about a question. */
export interface Judgement {
  state: 'matched' | 'ambiguous' | 'unmatched';
  /** Score of the best candidate, 0 to 1; null without a candidate. */
  score: number | null;
  /** Id of the matched company as decimal digits; null in all other states. */
  company_id: string | null;
  /** Ids of up to five candidates, best first. */
  candidates: string[];
}

interface Waiting {
  question: string;
  answers: readonly ApiResponse<unknown>[];
  resolve: (judgement: Judgement) => void;
  reject: (error: unknown) => void;
}

const ANSWER = {
  question: 'VARCHAR',
  run: 'VARCHAR',
  request_key: 'VARCHAR',
  kind: 'VARCHAR',
  doc: 'VARCHAR',
  observed_at: 'TIMESTAMPTZ',
  body_hash: 'VARCHAR',
};
/** The judgement of a question that has no answers. */
export const NOTHING: Judgement = { state: 'unmatched', score: null, company_id: null, candidates: [] };

/**
 * Scores the candidates of a question. Uses the SQL macros of the warehouse (sql/macros/match.sql) in a DuckDB in
 * memory. So the crawl and the table core.matches judge the same answers in the same way. Waiting questions are judged
 * together, because one query costs the same for one question as for many.
 */
export class Judge {
  #opened: Promise<Database> | null = null;
  #waiting: Waiting[] = [];
  #busy = false;

  /** @param question canonical JSON */
  async judge(question: string, answers: readonly ApiResponse<unknown>[]): Promise<Judgement> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, answers, resolve, reject });
      if (!this.#busy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        const judged = await judgeAll(await (this.#opened ??= open()), batch);
        batch.forEach(({ resolve }, i) => resolve(judged[i] ?? NOTHING));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = false;
  }
}

/** The judge that all chunks of this process share. */
export const judge = new Judge();

async function judgeAll(db: Database, batch: readonly Waiting[]): Promise<Judgement[]> {
  await db.run('DELETE FROM answered');
  const rows = batch.flatMap(({ answers, question }, i) =>
    answers.map(({ requestKey, fetchedAt, body }) => ({
      question,
      // Use the number of the question, because two chunks may judge the same question at the same time.
      run: String(i),
      request_key: requestKey,
      // Pass the text, because JavaScript would change the digits of long ids when it parses the text.
      doc: body,
      observed_at: fetchedAt,
      body_hash: requestKey,
    })),
  );
  await insertRows(db, 'answered', ANSWER, rows);
  const found = await db.rows<{ question: string } & Judgement>(
    `SELECT question, state, score, CASE WHEN state = 'matched' THEN CAST(best_id AS VARCHAR) END AS company_id,
      coalesce(CAST(json_extract_string(candidates, '$[*].company_id') AS VARCHAR[]), []) AS candidates
    FROM match_results('match_answers')`,
  );
  const judged = new Map(found.map(({ question, ...judgement }) => [question, judgement]));
  return batch.map(({ question }) => judged.get(question) ?? NOTHING);
}

async function open(): Promise<Database> {
  const db = await Database.open(':memory:', { threads: '1' });
  await db.addFunctions();
  await db.runFile(readSqlFile('macros/json.sql'));
  await db.runFile(readSqlFile('macros/match.sql'));
  const columns = Object.entries(ANSWER)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
  await db.run(`CREATE TABLE answered (${columns})`);
  await db.run(
    'CREATE TEMP VIEW match_answers AS SELECT * REPLACE (match_kind(question, request_key) AS kind, json_read(doc) AS doc) FROM answered',
  );
  return db;
}
