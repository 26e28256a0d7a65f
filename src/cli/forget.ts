import type { Command } from 'commander';
import type { Config } from '../config/config.js';
import { TidemarkError } from '../base/errors.js';
import { formatBytes, formatCount } from '../../schemas/format.js';
import { PEOPLE_STREAMS } from '../../schemas/streams/people.js';
import { examples, loadContext } from './context.js';
import { FAILED } from './terminal/print-error.js';
import { say, sayJson, tell } from './terminal/print.js';
import type { ForgetRequest, Forgot } from '../maintenance/forget/forget.js';
import type { Proof } from '../maintenance/forget/prove.js';
import type { Subject } from '../privacy/forgotten.js';

interface ForgetOptions {
  person?: string[];
  company?: string[];
  contact?: string[];
  expired?: boolean;
  all?: boolean;
  keepShared?: boolean;
  replaceList?: boolean;
  json?: boolean;
}

// Number of records of other people that are named.
const MOST_NAMED = 20;

const STEPS = {
  read: 'Reading the landed answers about people',
  rewrite: 'Writing landed parts again',
  rebuild: 'Rebuilding and publishing the warehouse',
  search: 'Searching all files',
};

/**
 * `tidemark forget`: removes people from all stored data, and proves the removal. Needs no API key, API or Temporal
 * server.
 */
export function registerForget(program: Command): void {
  program
    .command('forget')
    .summary('remove people from all data')
    .description('remove people from the landing zone, the warehouse and all builds, and search for what remains')
    .option('--person <id...>', 'ids of employees or executives to remove for ever')
    .option('--company <id...>', 'ids of companies; all people linked to them are removed for ever')
    .option('--contact <id...>', 'ids of contacts of tenders to remove for ever')
    .option('--expired', 'remove answers about people that are older than `retention` allows')
    .option('--all', 'remove all personal data; needs personalData: none')
    .option('--keep-shared', 'accept addresses and numbers that people who stay have, too')
    .option('--replace-list', 'start a new list of forgotten people, because the old one is damaged')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Without an option, the command finishes an interrupted removal, and repeats
earlier removals, for example after you restored a backup. It publishes a new
build and removes all others, so \`tidemark publish --to\` cannot go back.
${examples('tidemark forget --person 4711', 'tidemark forget --company 1000001', 'tidemark forget --expired')}`,
    )
    .action(async (options: ForgetOptions, command: Command) => {
      const subjects = subjectsOf(options);
      const context = await loadContext(command);
      const { config, data, clock } = context;
      const [{ forget }, { keepsContacts, tableSettings }] = await Promise.all([
        import('../maintenance/forget/forget.js'),
        import('../config/config.js'),
      ]);
      if (options.all && keepsContacts(config)) throw keepsPeople(config);
      if (options.replaceList && subjects.length === 0) throw namesNobody();
      const now = clock.now();
      await refuseOthers(config);
      const { asWriter } = await import('./as-writer.js');
      const what = 'tidemark forget';
      const request: ForgetRequest = {
        subjects,
        everyone: options.all,
        keepShared: options.keepShared,
        replaceList: options.replaceList,
        expired: options.expired ? cutoffsOf(config, now) : undefined,
        now,
        ...tableSettings(config, data),
        readers: config.readers,
        onStep: (step) => {
          if (!options.json) tell(`${STEPS[step]} …`);
        },
        onPublished: async () =>
          (await import('../warehouse/builds/replace-build.js')).replaceBuild(config, data, what),
      };
      const done = await asWriter(context, { what, needs: 'none', now }, () => forget(data, request));
      if (done.proof?.proven === false) process.exitCode = FAILED;
      if (options.json) return sayJson(done);
      sayResult(done, config);
    });
}

/** With the data in a bucket, other machines may hold answers that this machine cannot see. They land when runs end. */
async function refuseOthers({ bucket, dataDir }: Config): Promise<void> {
  if (bucket === undefined) return;
  const { refuseOpenRuns } = await import('./data/refuse-open-runs.js');
  await refuseOpenRuns(dataDir);
}

function subjectsOf({ person = [], company = [], contact = [] }: ForgetOptions): Subject[] {
  const subjects = [
    ...person.map((id) => ({ kind: 'person', id }) as const),
    ...company.map((id) => ({ kind: 'company', id }) as const),
    ...contact.map((id) => ({ kind: 'contact', id }) as const),
  ];
  for (const { kind, id } of subjects) {
    if (/^\d{1,19}$/.test(id)) continue;
    throw new TidemarkError('InvalidInput', `--${kind} ${id} is not an id.`, {
      todo: 'Give the number in the column executive_id, company_id or contact_id of the tables.',
    });
  }
  return subjects;
}

function keepsPeople({ file }: Config): TidemarkError {
  return new TidemarkError('InvalidInput', `--all needs \`personalData: none\`, but ${file} sets \`contacts\`.`, {
    todo: 'Set `personalData: none` and restart the workers. Otherwise the next run lands personal data again.',
  });
}

function namesNobody(): TidemarkError {
  return new TidemarkError('InvalidInput', '--replace-list needs the ids of all people who were forgotten before.', {
    todo: 'Give all ids with --person, --company and --contact. All others come back with the next answers.',
  });
}

function cutoffsOf({ file, retention }: Config, now: Date): Record<string, Date> {
  if (retention === undefined) {
    throw new TidemarkError('InvalidInput', `--expired needs \`retention\`, which ${file} does not set.`, {
      todo: 'Set the age of answers to remove, for example `retention: 365d`.',
    });
  }
  const cutoff = new Date(now.getTime() - retention * 1_000);
  return Object.fromEntries(PEOPLE_STREAMS.map((stream) => [stream, cutoff]));
}

function sayResult({ rows, parts, removed, proof }: Forgot, { dataDir, publish, bucket }: Config): void {
  if (proof === null) {
    say('✔ Nothing to remove from landed answers. Later answers about forgotten people are changed before landing.');
    return;
  }
  const counts = `changed ${formatCount(rows)} landed answers, wrote ${formatCount(parts)} parts again`;
  say(`${proof.proven ? '✔ removed' : '✖ not everything is removed'}: ${counts}`);
  for (const file of removed) say(`  removed    ${file}`);
  sayProof(proof);
  say(`  not done   backups and snapshots of ${bucket ?? dataDir}: delete all that were made before now`);
  if (bucket !== undefined) {
    say(
      '  not done   working copies of other machines: stop their workers and remove the folders (`TIDEMARK_STORAGE_FOLDER`)',
    );
    say('  not done   older versions of files, if the bucket keeps them');
  }
  say(
    '  not done   exports of analysts, folders of `replay --into`, builds that a reader still has open: delete these',
  );
  if (publish.to !== undefined && (bucket === undefined || !publish.to.startsWith(bucket))) {
    say(`  not done   versions in ${publish.to}: replace them now with \`tidemark publish --copy --prune\``);
    say('             Tell the users of other machines to delete their copies.');
  }
}

function sayProof(proof: Proof): void {
  const { proven, files, bytes, values, shared, short, others, remaining, unread } = proof;
  say(
    `  searched   ${formatCount(files)} files (${formatBytes(bytes)}), and the rows of Parquet, DuckDB and SQLite files`,
  );
  say(`  values     ${formatCount(values)} searched for; ${formatCount(remaining.length)} files contain some of them`);
  if (short > 0)
    say(`  too short  ${formatCount(short)} values were not searched for: short texts, short numbers and days`);
  if (shared > 0)
    say(`  shared     ${formatCount(shared)} values were not searched for, because other records have them too`);
  if (others.length > 0)
    say(
      `  elsewhere  ${formatCount(others.length)} records of other people have an address or number of a removed person`,
    );
  for (const record of others.slice(0, MOST_NAMED)) say(`             ${record}`);
  if (others.length > MOST_NAMED) say(`             and ${formatCount(others.length - MOST_NAMED)} more`);
  for (const { file, values: found } of remaining) say(`  found      ${formatCount(found)} values in ${file}`);
  for (const file of unread) say(`  unreadable ${file}`);
  if (proven) return;
  if (others.length > 0)
    say(
      '  todo       Forget the people named above, too: perhaps they are the same. Or accept them with --keep-shared.',
    );
  if (remaining.length + unread.length > 0)
    say('  todo       Delete the files named above, then run `tidemark forget` again.');
}
