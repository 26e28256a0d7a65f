import type { Config } from '../../config/config.js';
import { readAnswers } from '../lists/published-answers.js';

/** The latest check of a payee, from the published warehouse. */
export interface KnownAnswer {
  question_hash: string;
  check_id: string | null;
  decision: string | null;
  /** ISO instants. */
  observed_at: string;
  reported_at: string | null;
}

const HASHES = `(SELECT unnest(from_json(CAST($hashes AS JSON), '["VARCHAR"]')))`;

const ANSWERS = `
SELECT question_hash, check_id, decision,
  strftime(observed_at, '%Y-%m-%dT%H:%M:%S.%gZ') AS observed_at, strftime(reported_at, '%Y-%m-%dT%H:%M:%S.%gZ') AS reported_at
FROM core.payee_checks
WHERE is_current AND question_hash IN ${HASHES}`;

const FAULTS = `
SELECT question_hash, string_agg(DISTINCT said, '; ' ORDER BY said) AS fault
FROM (
  SELECT sha256(entity_id) AS question_hash, reason || coalesce(': ' || left(raw, 300), '') AS said
  FROM ops.rejects
  WHERE stream = 'payee_checks' AND resolved_at IS NULL
  UNION ALL
  SELECT c.question_hash, r.reason || ' (report)' || coalesce(': ' || left(r.raw, 300), '')
  FROM ops.rejects AS r
  JOIN core.payee_checks AS c ON c.is_current AND r.entity_id = c.check_id
  WHERE r.stream = 'payee_reports' AND r.resolved_at IS NULL
)
WHERE question_hash IN ${HASHES}
GROUP BY question_hash`;

/** Latest checks and open rejects of some payees, by question hash, from the published warehouse. */
export interface KnownPayees {
  answers: ReadonlyMap<string, KnownAnswer>;
  faults: ReadonlyMap<string, string>;
}

/** Reads the checks and rejects of the payees. Empty before the first publish with payee checks. */
export async function readKnownPayees(config: Config, hashes: readonly string[]): Promise<KnownPayees> {
  const none: KnownPayees = { answers: new Map(), faults: new Map() };
  return readAnswers(
    config.dataDir,
    async (published) => {
      const find = `FROM duckdb_columns() SELECT 1 WHERE schema_name = 'core' AND table_name = 'payee_checks'`;
      if ((await published.query(find)).rows.length === 0) return none;
      const params = { hashes: JSON.stringify(hashes) };
      const answers = await published.objects<KnownAnswer>(ANSWERS, params);
      const faults = await published.objects<{ question_hash: string; fault: string }>(FAULTS, params);
      return {
        answers: new Map(answers.map((answer) => [answer.question_hash, answer])),
        faults: new Map(faults.map(({ question_hash, fault }) => [question_hash, fault])),
      };
    },
    none,
  );
}
