import { Command, InvalidArgumentError } from 'commander';
import { buildApp } from './app.js';
import { contradictions, readState } from './state-file.js';
import { readKeyFlags } from './permissions.js';
import { DEFAULT_STATUSES, sandboxOptions, type SandboxOptions, type Statuses } from './options.js';

/*
 * The sandbox as a process: reads its flags, listens, prints one line of JSON on stdout when it is ready, and closes on
 * SIGTERM or SIGINT. Everything else goes to stderr.
 */

interface Listening {
  host: string;
  port: number;
}

type Flags = Partial<SandboxOptions> & Listening;

function wholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

function oneOf<T extends string>(...allowed: T[]): (text: string) => T {
  return (text) => {
    if (!allowed.includes(text as T)) throw new InvalidArgumentError(`Expected one of: ${allowed.join(', ')}.`);
    return text as T;
  };
}

/** `limit=403,invalid=422`: statuses of version 2 errors that differ from the default. */
function statuses(text: string): Statuses {
  const chosen: Record<string, number> = { ...DEFAULT_STATUSES };
  for (const pair of text.split(',')) {
    const [name = '', status = ''] = pair.split('=');
    if (!(name in DEFAULT_STATUSES) || !/^[2-5]\d\d$/.test(status)) {
      throw new InvalidArgumentError(
        `Expected name=status with a name of ${Object.keys(DEFAULT_STATUSES).join(', ')}.`,
      );
    }
    chosen[name] = Number(status);
  }
  return chosen as Statuses;
}

function readFlags(argv: string[]): Flags {
  const program = new Command('sandbox')
    .description('The sandbox: an API that behaves like the Company Data API, over an invented market.')
    .option('--companies <n>', 'companies in the market on day 0, at most 1000000 (default 10000)', wholeNumber)
    .option('--tenders <n>', 'tenders listed on day 0 (default 400)', wholeNumber)
    .option('--seed <n>', 'the same seed gives the same market (default 1)', wholeNumber)
    .option('--date <yyyy-mm-dd>', 'calendar date of day 0 (default today)')
    .option('--day <n>', 'day to start on (default 0)', wholeNumber)
    .option('--port <n>', 'port; 0 takes any free one', wholeNumber, 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--key <key>',
      'the API key that may do everything (default sandbox-key-<seed>); NAME=permission,permission adds one that may do less; repeatable',
      (text: string, before: string[] | undefined) => [...(before ?? []), text],
    )
    .option('--max-per-page <n>', 'largest page (default 100)', wholeNumber)
    .option(
      '--page-size-policy <policy>',
      'clamp or refuse a larger per_page (default clamp)',
      oneOf('clamp', 'refuse'),
    )
    .option('--default-per-page <n>', 'page size when none is asked for (default 10)', wholeNumber)
    .option(
      '--incorporation <form>',
      'bounds of company_incorporation: date or year (default date)',
      oneOf('date', 'year'),
    )
    .option('--daily-limit <n>', 'data calls a day; 0: no limit (default 0)', wholeNumber)
    .option('--rate-limit <n>', 'data calls a second; 0: no limit (default 0)', wholeNumber)
    .option('--latency <ms>', 'milliseconds every answer waits (default 0)', wholeNumber)
    .option('--job-milliseconds <ms>', 'how long a UBO enrichment job takes (default 2000)', wholeNumber)
    .option('--webhook-retry-milliseconds <ms>', 'time between tries of a delivery (default 60000)', wholeNumber)
    .option('--day-every <seconds>', 'move on by a day again and again; 0: only when told (default 0)', wholeNumber)
    .option('--file <file>', 'keep day, quota and watches in a file over a restart')
    .option('--statuses <list>', 'HTTP statuses of version 2 errors, e.g. limit=403,invalid=422', statuses)
    .option(
      '--permission-body <shape>',
      'body of a version 2 answer to a key without the permission: detail or access (default detail)',
      oneOf('detail', 'access'),
    )
    .option('--open-controls', 'let /_sandbox answer to other machines too');
  program.addHelpText('after', '\nExample:\n  tidemark sandbox --companies 10000 --seed 7 --port 4010\n');
  const { key, ...flags } = program.parse(argv, { from: 'user' }).opts<Omit<Flags, 'key'> & { key?: string[] }>();
  return key === undefined ? flags : { ...flags, ...readKeyFlags(key) };
}

async function main(argv: string[]): Promise<void> {
  const { host, port, ...given } = readFlags(argv);
  const options = sandboxOptions(withSaved(given));
  const app = await buildApp(options);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void app.close().then(() => process.exit(0)));
  }
  const url = await app.listen({ host, port });
  const { key, companies, seed, date } = options;
  process.stdout.write(`${JSON.stringify({ sandbox: url, key, companies, seed, date })}\n`);
}

/** The market of the state file, if there is one: its flags may be left out, but not contradicted. */
function withSaved(given: Partial<SandboxOptions>): Partial<SandboxOptions> {
  const saved = given.file === undefined || given.file === null ? null : readState(given.file);
  if (saved === null) return given;
  const wrong = contradictions(saved, given);
  if (wrong.length > 0) {
    throw new Error(`${wrong.join(', ')}: ${given.file} holds another market. Leave these out, or name another file.`);
  }
  const { companies, tenders, seed, date, key } = saved;
  return { ...given, companies, tenders, seed, date, key };
}

/** What to tell whoever started it. */
function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return 'The port is taken by another program. Choose another with --port, or --port 0 for any free one.';
  if (code === 'EACCES') return 'This port needs more rights. Choose one above 1023 with --port.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'This machine has no such address. Choose another with --host.';
  return message;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`sandbox: ${explain(error)}\n`);
  process.exitCode = 1;
});
