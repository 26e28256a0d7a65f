import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { createSecretFinder } from '../helpers/find-secret.js';
import { waitUntil } from '../helpers/sandbox.js';
import { tidemarkIn } from '../helpers/run-cli.js';
import { startSystem, type System } from '../helpers/system.js';

const CHECK = 'POST /v2/know-your-payee';
const AGAIN = 'POST /v2/know-your-payee/{id}';
const REPORT = 'GET /v2/know-your-payee/{id}';

/** An IBAN with valid check digits, made from a country and its account. */
function iban(country: string, account: string): string {
  const digits = Array.from(`${account}${country}00`, (sign) => Number.parseInt(sign, 36)).join('');
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${account}`;
}

const PAYEES = Array.from({ length: 24 }, (_, i) => ({
  country_code: 'DE',
  id: iban('DE', `37040044${String(7_310_402_611 + i * 7_919)}`),
}));
const DIGITS = { country_code: 'US', id: '4081726355' };

let system: System;
let file: string;
beforeAll(async () => {
  system = await startSystem({ market: { companies: 60, tenders: 0, seed: 5 } });
  file = path.join(system.project.dir, 'suppliers.csv');
  writeFileSync(
    file,
    [
      'our no,Payee,Country,IBAN,Bank code,scheme',
      ...PAYEES.map(({ country_code, id }, i) => `${i},Firm ${i},${country_code},${id.replaceAll(/.{4}/g, '$& ')},,`),
      `24,Firm 24,${DIGITS.country_code},${DIGITS.id},021000021,ACNR`,
      // The same payee again costs no further check.
      `25,Firm 0,DE,${PAYEES[0]!.id},,`,
      `26,No bank,US,9920018827345,,ACNR`,
      // The API refuses this scheme.
      `28,Refused,IN,5510027719462,,UPI`,
      `27,Wrong digits,DE,DE00370400447310402611,,IBAN`,
    ].join('\n'),
  );
});
afterAll(() => system?.stop());

const counts = async (): Promise<number[]> =>
  Promise.all([CHECK, AGAIN, REPORT].map((route) => system.api.requests(route)));

it('says what the checks would cost and sends nothing', async () => {
  const { code, stdout } = await system.tidemark('payees', 'check', file, '--dry-run', '--json');
  expect(code).toBe(0);
  const said = { rows: 29, rejected: 2, payees: 26, checks: 26, rechecks: 0, fresh: 0, reports: 26, requests: 52 };
  expect(JSON.parse(stdout)).toEqual(said);
  expect(await counts()).toEqual([0, 0, 0]);
});

it('checks every payee once, although the worker is killed, and keeps no account number', async () => {
  await system.api.answer({ route: '/v2/know-your-payee', latency: 150 });
  const command = system.tidemark('payees', 'check', file);
  await waitUntil('some payees are checked', async () => (await system.api.requests(CHECK)) > 8);
  await system.worker.stop('SIGKILL');
  const killed = system.worker.output();
  await system.startWorker();
  const { code, stdout, stderr } = await command;
  await system.api.clearFaults();
  expect(code, stdout + stderr).toBe(0);
  expect(stderr).toContain('Columns: Payee = name, Country = country_code, IBAN = id, Bank code = holding_entity');
  expect(stderr).toContain('Ignored columns: our no.');
  expect(stderr).toContain('Line 28 is not checked: holding_entity: the scheme ACNR needs the code of the bank');

  const [checks = 0, again, reports] = await counts();
  expect([checks - 26, again]).toEqual([expect.toSatisfy((repeated: number) => repeated === 0 || repeated === 1), 0]);
  expect(reports).toBe(25);
  const rows = await system.project.query(
    'SELECT request, decision, check_id, report, calls FROM core.payee_checks WHERE is_current',
  );
  expect(rows).toHaveLength(25);
  expect(rows.every(({ check_id, report }) => check_id !== null && report !== null)).toBe(true);
  const calls = rows.reduce((sum, row) => sum + Number(row['calls']), 0);
  expect([25, 26]).toContain(calls);
  // The refused check has no row.
  expect(calls).toBeGreaterThanOrEqual(checks - 1);
  const [first] = await system.project.query(
    `SELECT request FROM core.payee_checks WHERE request ->> '$.name' = 'Firm 0' AND is_current`,
  );
  const masked = JSON.parse(first?.['request'] as string) as object;
  expect(masked).toEqual({
    country_code: 'DE',
    id: `DE…${PAYEES[0]!.id.slice(-4)}`,
    id_scheme: 'IBAN',
    name: 'Firm 0',
  });
  expect(readResult()).toEqual([
    ...[...PAYEES, DIGITS, PAYEES[0]!].map((payee) => system.api.decisionOf(payee)),
    null,
    null,
    null,
  ]);
  const faults = readFileSync(file.replace('.csv', '.checked.csv'), 'utf8').split('\r\n').slice(-4, -1);
  expect(faults).toEqual([
    expect.stringMatching(/^26.*holding_entity: the scheme ACNR needs/),
    // The API's words may name a person, so they are shown only with `personalData: contacts`.
    expect.stringMatching(/^28.*http_error/),
    expect.stringMatching(/^27.*id: the scheme IBAN needs/),
  ]);

  const history = await historyOf();
  const texts = [stdout, stderr, killed, system.worker.output(), history, JSON.stringify(rows)];
  for (const number of [
    PAYEES[0]!.id,
    PAYEES[23]!.id,
    PAYEES[7]!.id.slice(12),
    DIGITS.id,
    '9920018827345',
    '5510027719462',
  ]) {
    const finder = createSecretFinder(number);
    expect(texts.flatMap((text) => finder.inText(text))).toEqual([]);
    const { found, searched } = await finder.inFolder(system.project.dataDir);
    expect(found).toEqual([]);
    expect(searched).toBeGreaterThan(20);
  }
  expect(readdirSync(path.join(system.project.dataDir, 'payees'))).toEqual([]);
});

it('asks for no payee again while its answer is fresh', async () => {
  const before = await counts();
  const { code, stdout } = await system.tidemark('payees', 'check', file, '--json');
  expect(code).toBe(0);
  const { decisions, ...result } = JSON.parse(stdout) as RunResult & { decisions: Record<string, number> };
  // The payee without an answer is asked again.
  expect(result.due[0]).toEqual({ stream: 'payee_checks', known: 26, due: 1, reasons: { failed: 1 } });
  expect(decisions['rejected']).toBe(2);
  const [checks, again, reports = 0] = await counts();
  // A report is read again while no decision is known.
  const undecided = [...PAYEES, DIGITS].filter((payee) => system.api.decisionOf(payee) === null).length;
  expect([checks, again, reports]).toEqual([before[0]! + 1, before[1], before[2]! + undecided]);
});

it('repeats old checks by their id, and takes payees from a query', async () => {
  const before = await counts();
  const sql = `SELECT iban AS account, 'Firm 0' AS name FROM (VALUES ('${PAYEES[0]!.id}')) AS t(iban)`;
  const { code, stderr } = await system.tidemark('payees', 'check', '--sql', sql, '--recheck-older-than', '0d');
  expect(code, stderr).toBe(0);
  const after = await counts();
  expect([after[0], after[1], after[2]]).toEqual([before[0], before[1]! + 1, before[2]! + 1]);
  const rows = await system.project.query(
    `SELECT kind, is_current FROM core.payee_checks WHERE request ->> '$.name' = 'Firm 0' ORDER BY observed_at`,
  );
  expect(rows).toEqual([
    { kind: 'new', is_current: false },
    { kind: 'again', is_current: true },
  ]);
});

it('keeps account numbers with personalData: contacts', async () => {
  await system.worker.stop();
  const open = system.addProject({ personalData: 'contacts' });
  const worker = await open.startWorker();
  try {
    writeFileSync(path.join(open.dir, 'one.csv'), `iban\n${PAYEES[1]!.id}\n`);
    const { code, stderr } = await tidemarkIn(open, ['payees', 'check', 'one.csv', '--no-reports']);
    expect(code, stderr).toBe(0);
    expect((await open.query(`SELECT request ->> '$.id' AS id FROM core.payee_checks`))[0]).toEqual({
      id: PAYEES[1]!.id,
    });
    // So the search of the other test can find a number.
    expect((await createSecretFinder(PAYEES[1]!.id).inFolder(open.dataDir)).found).not.toEqual([]);
  } finally {
    await worker.stop();
  }
  await system.startWorker();
});

it('builds the same tables again from the landing zone', async () => {
  const tables = `SELECT * FROM core.payee_checks_history ORDER BY ALL`;
  const before = await system.project.query(tables);
  expect(before.length).toBeGreaterThan(50);
  expect((await system.tidemark('replay')).code).toBe(0);
  expect(await system.project.query(tables)).toEqual(before);
});

/** Decisions in the result file, by row. */
function readResult(): (string | null)[] {
  const [header = '', ...lines] = readFileSync(file.replace('.csv', '.checked.csv'), 'utf8').trimEnd().split('\r\n');
  expect(header).toBe('\ufeffour no,Payee,Country,IBAN,Bank code,scheme,check_id,decision,checked_at,fault');
  return lines.map((line) => line.split(',')[7] || null);
}

async function historyOf(): Promise<string> {
  const { workflow } = system.temporal.client;
  const texts: string[] = [];
  for await (const { workflowId } of workflow.list({ query: "WorkflowType = 'checkPayees'" }))
    texts.push(workflowId, JSON.stringify(await workflow.getHandle(workflowId).fetchHistory()));
  expect(texts.length).toBeGreaterThan(1);
  return texts.join('\n');
}
