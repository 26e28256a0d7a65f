import { createWorld } from '../sandbox/world/index.js';
import type { Company } from '../schemas/v2/company.js';
import { createApiClient, NotFoundError } from '../src/api/index.js';
import { inParallel } from '../src/base/in-parallel.js';
import { identify } from '../src/crawl/streams/matches/identify.js';
import { readList } from '../src/crawl/streams/lists/read-list.js';
import { COMPANIES } from '../src/crawl/streams/matches/read-questions.js';
import { scoreCandidates } from '../src/crawl/streams/matches/score-candidates.js';
import { Routes } from '../src/crawl/judge/routes.js';
import { startSandbox } from '../test/helpers/processes.js';
import { generator } from './planner/random.js';

const MARKET = { companies: 10_000, tenders: 0, seed: 11, date: '2026-11-20' };
const ROWS = 10_000;
const AT_ONCE = 16;

type Cells = Record<
  'name' | 'country' | 'registration_number' | 'vat' | 'website' | 'email' | 'phone' | 'profile',
  string
>;
const COLUMNS = ['name', 'country', 'registration_number', 'vat', 'website', 'email', 'phone', 'profile'] as const;

/** Fields of a row, and how many of 100 rows have them. */
const MIXES: [share: number, fields: readonly (keyof Cells)[]][] = [
  [15, ['registration_number', 'country']],
  [15, ['registration_number', 'country', 'name']],
  [10, ['vat', 'country', 'name']],
  [10, ['website']],
  [8, ['website', 'name']],
  [7, ['profile']],
  [8, ['email']],
  [5, ['phone', 'country']],
  [17, ['name', 'country']],
  [5, ['name']],
];

/**
 * Measures how well and how cheaply questions of mixed quality are resolved: 10,000 rows made from the sandbox's truth,
 * with typos (12 %), wrong countries (4 %), missing fields (8 %) and repeated rows (10 %).
 */
export async function benchResolve(): Promise<void> {
  const { csv, meant } = makeList();
  const { questions, rows } = readList(Buffer.from(csv), 'bench.csv', COMPANIES, true);
  const sandbox = await startSandbox({ ...MARKET });
  let calls = 0;
  const client = createApiClient({
    baseUrl: sandbox.url,
    apiKey: sandbox.key,
    maxConcurrency: AT_ONCE,
    onAttempt: () => void calls++,
  });
  const tally = { right: 0, wrong: 0, ambiguous: 0, offered: 0, unmatched: 0 };
  const signal = new AbortController().signal;
  const routes = new Routes([]);
  await inParallel(questions, AT_ONCE, async (question) => {
    const answers = await identify(client, question, signal, routes).catch((error: unknown) => {
      if (error instanceof NotFoundError) return [];
      throw error;
    });
    const { state, company_id, candidates } = await scoreCandidates(question, answers);
    const truth = meant.get(question.toLowerCase()) ?? new Set();
    if (state === 'matched') tally[truth.has(company_id ?? '') ? 'right' : 'wrong']++;
    else tally[state]++;
    if (state === 'ambiguous' && candidates.some((id) => truth.has(id))) tally.offered++;
  });
  const { right, wrong, ambiguous, offered, unmatched } = tally;
  const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
  const lines = [
    `${rows.length} rows, ${questions.length} different questions, ${calls} calls`,
    `calls per row ${(calls / rows.length).toFixed(2)}, per question ${(calls / questions.length).toFixed(2)}`,
    `precision ${share(right, right + wrong)} (${wrong} wrong), recall ${share(right, questions.length)}`,
    `ambiguous ${share(ambiguous, questions.length)}; of these, ${share(offered, ambiguous)} offer the right company`,
    `unmatched ${share(unmatched, questions.length)}`,
  ];
  process.stdout.write(lines.map((line) => `  ${line}\n`).join(''));
  await client.close();
  await sandbox.stop();
}

/** The list as CSV, and the companies that each question may mean (in lower case, as canonical JSON). */
function makeList(): { csv: string; meant: Map<string, Set<string>> } {
  const world = createWorld(MARKET);
  const companies = world
    .companyIds(0)
    .map((id) => world.company(id, 0))
    .filter((company) => company !== undefined);
  const random = generator(20_261_122);
  const lines: { line: string; id: string }[] = [];
  while (lines.length < ROWS) {
    const company = companies[Math.floor(random() * companies.length)]!;
    const before = lines.at(-1);
    if (before !== undefined && random() < 0.1) {
      lines.push({ id: before.id, line: before.line.toUpperCase() });
      continue;
    }
    const line = makeLine(company, companies, random);
    if (line !== null) lines.push({ line, id: String(company.id) });
  }
  const header = COLUMNS.join(',');
  const meant = new Map<string, Set<string>>();
  for (const { line, id } of lines) {
    for (const question of readList(Buffer.from(`${header}\n${line}\n`), 'row.csv', COMPANIES, true).questions) {
      const folded = question.toLowerCase();
      meant.set(folded, (meant.get(folded) ?? new Set()).add(id));
    }
  }
  return { csv: [header, ...lines.map(({ line }) => line)].join('\n'), meant };
}

/** Null if the company has none of the fields of the row. */
function makeLine(company: Company, companies: readonly Company[], random: () => number): string | null {
  const all: Cells = {
    name: (company.name ?? '').trim(),
    country: company.country_code ?? '',
    registration_number: company.registration_number ?? '',
    vat: company.vat_number ?? '',
    website: company.company_website ?? '',
    email: company.company_email?.[0] ?? '',
    phone: company.company_phone?.[0] ?? '',
    profile: company.pronet ?? '',
  };
  const fields = pickMix(random).filter((field) => all[field] !== '');
  if (fields.every((field) => field === 'country')) return null;
  const row: Partial<Cells> = Object.fromEntries(fields.map((field) => [field, all[field]]));
  const others = fields.filter((field) => field !== 'country');
  const field = others[Math.floor(random() * others.length)]!;
  const draw = random();
  if (draw < 0.12) row[field] = withTypo(row[field] ?? '', random);
  else if (draw < 0.16 && row.country !== undefined)
    row.country = companies[Math.floor(random() * companies.length)]?.country_code ?? '';
  else if (draw < 0.24 && fields.length > 1) delete row[fields[Math.floor(random() * fields.length)]!];
  if (COLUMNS.every((column) => column === 'country' || !row[column])) return null;
  return COLUMNS.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(',');
}

function pickMix(random: () => number): readonly (keyof Cells)[] {
  let draw = random() * 100;
  for (const [share, fields] of MIXES) {
    draw -= share;
    if (draw < 0) return fields;
  }
  return ['name'];
}

/** Leaves out, doubles or swaps one character. */
function withTypo(text: string, random: () => number): string {
  const at = Math.floor(random() * Math.max(1, text.length - 1));
  const draw = random();
  if (draw < 0.34) return text.slice(0, at) + text.slice(at + 1);
  if (draw < 0.67) return text.slice(0, at + 1) + text.slice(at);
  return text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2);
}
