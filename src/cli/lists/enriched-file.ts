import type { Published } from '../../warehouse/builds/published.js';
import type { PlainValue } from '../../warehouse/duckdb/plain-value.js';
import type { List } from '../../crawl/streams/lists/read-list.js';
import { readAnswers } from './published-answers.js';
import { addColumns, resultFile, writeList, type FileRow } from './write-list.js';

type Payload = Record<string, PlainValue>;

// Columns of core.companies for a company; fields of the API's record for a person.
const COMPANY = [
  'name',
  'country_code',
  'country_name',
  'registration_number',
  'vat_number',
  'status',
  'legal_form',
].concat(
  ['website', 'phones', 'emails', 'address_street', 'address_city', 'country_region', 'zip_code', 'size_text'],
  ['founding_date', 'pronet'],
);
const PERSON = [
  'full_name',
  'first_name',
  'last_name',
  'seniority_level',
  'department',
  'function_original_name',
].concat(['job_title', 'email', 'phone', 'nationality', 'company_name', 'pronet']);

const ENRICHMENTS = `
SELECT lower(CAST(request AS VARCHAR)) AS folded, kind, CAST(company_id AS VARCHAR) AS company_id,
  CAST(employee_id AS VARCHAR) AS employee_id, CAST(payload AS VARCHAR) AS payload
FROM core.enrichments
WHERE matched
  AND lower(CAST(request AS VARCHAR)) IN (SELECT lower(unnest(from_json(CAST($questions AS JSON), '["VARCHAR"]'))))`;

interface Enrichment {
  folded: string;
  kind: string;
  company_id: string | null;
  employee_id: string | null;
  payload: string;
}

/**
 * Writes `FILE.enriched.csv`: the user's columns, and the values of the API's records.
 * @param asked the question sent, by question of the list
 * @returns the file, and the number of questions with an answer
 */
export async function writeEnriched(
  dataDir: string,
  file: string,
  list: List<string>,
  asked: ReadonlyMap<string, string>,
): Promise<{ written: string; found: number }> {
  const known = await readAnswers(
    dataDir,
    (published) => readEnrichments(published, [...asked.values()]),
    new Map<string, Enrichment>(),
  );
  const ofPeople = list.header.columns.some((field) => field === 'first_name') || [...known.values()].some(isPerson);
  const written = resultFile(file, 'enriched');
  await writeList(written, enrichedRows(list, asked, known, ofPeople ? PERSON : COMPANY), list.delimiter);
  return { written, found: known.size };
}

function isPerson({ employee_id }: Enrichment): boolean {
  return employee_id !== null;
}

async function readEnrichments(published: Published, questions: string[]): Promise<Map<string, Enrichment>> {
  const rows = await published.objects<Enrichment>(ENRICHMENTS, { questions: JSON.stringify(questions) });
  return new Map(rows.map((row) => [row.folded, row]));
}

function enrichedRows(
  list: List<string>,
  asked: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, Enrichment>,
  fields: readonly string[],
): FileRow[] {
  const added = ['found_by', 'employee_id', 'company_id', ...fields];
  const askedOf = new Map(list.questions.map((question) => [question.toLowerCase(), asked.get(question) ?? question]));
  return addColumns(list, added, ({ value }) => {
    const answer = value === null ? undefined : known.get((askedOf.get(value.toLowerCase()) ?? '').toLowerCase());
    if (answer === undefined) return added.map(() => null);
    const payload = JSON.parse(answer.payload) as Payload;
    return [answer.kind, answer.employee_id, answer.company_id, ...fields.map((field) => payload[field] ?? null)];
  });
}
