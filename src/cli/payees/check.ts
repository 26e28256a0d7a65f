import path from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { PAYEE_DAYS } from '../../../schemas/pipeline/payees.js';
import type { Config } from '../../config/config.js';
import { parseDuration } from '../../config/duration.js';
import { invalidInput } from '../../base/errors.js';
import { readPayees, type PayeeList } from '../../crawl/streams/payees/read-payees.js';
import { knownSalt, payeeQuestion, payeeSalt } from '../../crawl/streams/payees/question.js';
import { formatCount } from '../../../schemas/format.js';
import { examples, loadContext, type CliContext } from '../context.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { followListRun, type WrittenResult } from '../lists/list-run.js';
import { tellHeader } from '../lists/tell-header.js';
import { resultFile, writeList } from '../lists/write-list.js';
import { addRunOptions, type RunOptions } from '../runs/run-options.js';
import { forecastPayees } from './forecast.js';
import { readKnownPayees } from './known-answers.js';
import { readList } from './read-list.js';
import { resultRows, type HashedList } from './result-file.js';
import { countDecisions, sayDecisions } from './say-decisions.js';
import { sha256 } from '../../base/hash.js';
import { DAY_SECONDS } from '../../base/time/time.js';
import { LONGEST_DURATION } from '../../../schemas/pipeline/limits.js';

interface CheckOptions extends RunOptions {
  sql?: string;
  out?: string;
  recheckOlderThan: number;
  reports: boolean;
  dryRun?: boolean;
}

const SHOWN_PROBLEMS = 10;

/** `tidemark payees check`: checks the payees of a list. */
export function registerCheck(payees: Command): void {
  const check = payees
    .command('check')
    .summary('check bank accounts and their companies')
    .description(
      'check bank accounts and their companies (know your payee), into core.payee_checks and FILE.checked.csv',
    )
    .argument('[file]', 'CSV file whose first line names the columns')
    .option('--sql <query>', 'take the payees from a query of the published warehouse instead of a file')
    .option('--out <file>', 'result file; default FILE.checked.csv, with --sql payees.checked.csv')
    .addOption(
      new Option(
        '--recheck-older-than <age>',
        'check a payee again if its answer is older than this, such as 12h or 30d; 0d checks all payees again',
      )
        .argParser(parseAge)
        .default(PAYEE_DAYS * DAY_SECONDS, `${PAYEE_DAYS}d`),
    )
    .option('--no-reports', 'do not read the reports of the checks; this saves up to half of the requests')
    .option('--dry-run', 'print how many requests the checks need; send none');
  addRunOptions(check)
    .addHelpText(
      'after',
      examples(
        'tidemark payees check suppliers.csv --dry-run',
        'tidemark payees check suppliers.csv',
        'tidemark sql "FROM core.payee_checks WHERE is_current"',
      ),
    )
    .action(async (file: string | undefined, options: CheckOptions, command: Command) => {
      const context = await loadContext(command);
      const bytes = await readList({ file, sql: options.sql }, context.config);
      const list = readPayees(bytes, file ?? 'The result of --sql');
      describeList(list, options.json ?? false);
      if (options.dryRun) await sayForecast(context, list, options);
      else await checkList(context, { bytes, list, file }, options);
    });
}

/** Converts an age such as `12h` or `30d` to seconds. */
function parseAge(text: string): number {
  const age = parseDuration(text);
  if (age !== null && age <= LONGEST_DURATION) return age;
  throw new InvalidArgumentError('Write a number and a unit, such as 12h or 30d, at most 36500d.');
}

/** Says what the columns mean and which rows are wrong. */
function describeList({ header, rows }: PayeeList, json: boolean): void {
  const bad = rows.filter(({ value }) => value === null);
  if (!json) tellHeader(header);
  for (const { line, problem } of bad.slice(0, SHOWN_PROBLEMS)) tell(`Line ${line} is not checked: ${problem}.`);
  if (bad.length > SHOWN_PROBLEMS)
    tell(
      `${formatCount(bad.length - SHOWN_PROBLEMS)} more rows are not checked. The column \`fault\` of the result file says why.`,
    );
}

function hashedList(list: PayeeList, salt: string): HashedList {
  return {
    ...list,
    rows: list.rows.map((row) => ({
      ...row,
      hash: row.value === null ? null : sha256(payeeQuestion(row.value, salt)),
    })),
  };
}

function differentHashes({ rows }: HashedList): string[] {
  return [...new Set(rows.flatMap(({ hash }) => hash ?? []))];
}

async function sayForecast({ config, clock }: CliContext, list: PayeeList, options: CheckOptions): Promise<void> {
  // If there is no salt yet, this data folder has no checks, and any salt gives the right number of different payees.
  const hashes = differentHashes(hashedList(list, knownSalt(config.dataDir) ?? 'no salt yet'));
  const { answers } = await readKnownPayees(config, hashes);
  const forecast = forecastPayees(hashes, answers, {
    now: clock.now().getTime(),
    recheckAfterSeconds: options.recheckOlderThan,
    reports: options.reports,
  });
  const rejected = list.rows.filter(({ value }) => value === null).length;
  if (options.json) return sayJson({ rows: list.rows.length, rejected, payees: hashes.length, ...forecast });
  const { checks, rechecks, fresh, reports, requests } = forecast;
  say(
    `${formatCount(list.rows.length)} rows, ${formatCount(hashes.length)} different payees, ${formatCount(rejected)} rows rejected.`,
  );
  say(
    `${formatCount(requests)} requests: ${formatCount(checks)} checks, ${formatCount(rechecks)} repeated checks, ${formatCount(reports)} reports. ${formatCount(fresh)} payees have a fresh answer.`,
  );
}

interface GivenList {
  bytes: Buffer;
  list: PayeeList;
  file: string | undefined;
}

async function checkList(context: CliContext, { bytes, list, file }: GivenList, options: CheckOptions): Promise<void> {
  const { config, data } = context;
  const salt = await payeeSalt(data);
  const hashed = hashedList(list, salt);
  const hashes = differentHashes(hashed);
  if (hashes.length === 0)
    throw invalidInput('The list has no payee that can be checked.', 'Correct the rows named above.');
  if (!options.json) tell(`${formatCount(list.rows.length)} rows, ${formatCount(hashes.length)} different payees.`);
  const { leaveList } = await import('./leave-list.js');
  const request = await leaveList(data, { bytes, salt, payees: hashes.length }, options);
  const out = options.out ?? resultFile(file?.replace(/\.checked(?=\.\w+$)/, '') ?? 'payees', 'checked');
  const again = file === undefined ? 'tidemark payees check --sql …' : `tidemark payees check ${file}`;
  const write = (): Promise<WrittenResult> => writeResult(config, hashed, hashes, out);
  await followListRun(context, request, { options, again, write });
}

/** Writes the result file, readable only by its owner, because it holds the account numbers of the list. */
async function writeResult(
  config: Config,
  list: HashedList,
  hashes: readonly string[],
  out: string,
): Promise<WrittenResult> {
  const known = await readKnownPayees(config, hashes);
  await writeList(out, resultRows(list, known), list.delimiter, { isPrivate: true });
  return {
    json: { decisions: countDecisions(list, known), file: path.resolve(out) },
    show: () => sayDecisions(list, known, out),
  };
}
