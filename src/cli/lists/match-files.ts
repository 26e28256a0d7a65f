import type { Published } from '../../warehouse/builds/published.js';
import type { List } from '../../crawl/streams/lists/read-list.js';
import { addColumns, type FileRow } from './write-list.js';

/** An answer in core.matches. */
export interface Match {
  question: string;
  /** The question in lower case, so that questions that differ only in capitals are equal. */
  folded: string;
  company_id: string | null;
  name: string | null;
  country_code: string | null;
  score: number | null;
  kind: string | null;
  state: string;
  explanation: string | null;
  candidates: string;
}

/** A candidate in core.matches.candidates. */
interface Candidate {
  company_id: string;
  name: string | null;
  country_code: string | null;
  registration_number: string | null;
  score: number;
  explanation: string;
}

const MATCHES = `
SELECT CAST(request AS VARCHAR) AS question, lower(CAST(request AS VARCHAR)) AS folded, CAST(company_id AS VARCHAR) AS company_id,
  name, country_code, score, kind, state, explanation, CAST(candidates AS VARCHAR) AS candidates
FROM core.matches
WHERE lower(CAST(request AS VARCHAR)) IN (SELECT lower(unnest(from_json(CAST($questions AS JSON), '["VARCHAR"]'))))`;

/** Reads the answers to a list's questions, by folded question. */
export async function readMatches(published: Published, questions: readonly string[]): Promise<Map<string, Match>> {
  const rows = await published.objects<Match>(MATCHES, { questions: JSON.stringify(questions) });
  return new Map(rows.map((row) => [row.folded, row]));
}

const FOUND = [
  'company_id',
  'company_name',
  'company_country',
  'match_score',
  'match_kind',
  'match_state',
  'match_explanation',
];

/** The user's rows, each with the company found. */
export function matchedRows(list: List<string>, matches: ReadonlyMap<string, Match>): FileRow[] {
  return addColumns(list, FOUND, ({ value, problem }) =>
    foundIn(value === null ? null : (matches.get(value.toLowerCase()) ?? null), problem),
  );
}

function foundIn(match: Match | null, problem: string | null): FileRow['added'] {
  if (problem !== null) return [null, null, null, null, null, 'unusable', problem];
  if (match === null) return [null, null, null, null, null, 'unanswered', 'the API gave no answer; see ops.rejects'];
  const { company_id, name, country_code, score, kind, state, explanation } = match;
  return [company_id, name, country_code, score, kind, state, explanation];
}

const AMBIGUOUS_HEADER = [
  'question',
  'candidate_id',
  'candidate_name',
  'candidate_country',
  'candidate_registration_number',
  'score',
  'explanation',
  'decision',
];

/** One row for each candidate of each ambiguous question, with an empty decision. */
export function ambiguousRows(matches: Iterable<Match>): FileRow[] {
  const rows = [...matches]
    .filter(({ state }) => state === 'ambiguous')
    .flatMap(({ question, candidates }) =>
      (JSON.parse(candidates) as Candidate[]).map((one) => ({
        own: [question],
        added: [one.company_id, one.name, one.country_code, one.registration_number, one.score, one.explanation, null],
      })),
    );
  return [{ own: [], added: AMBIGUOUS_HEADER }, ...rows];
}
