import { Command, InvalidArgumentError } from 'commander';
import { DRIFT_KINDS, type DriftKind } from './faults/drift.js';
import { readKeyFlags } from './http/permissions.js';
import { DEFAULT_STATUSES, type SandboxOptions, type Statuses } from './options.js';

/* Command-line flags of the sandbox process: one for each option. */

interface Listening {
  host: string;
  port: number;
}

export type Flags = Partial<SandboxOptions> & Listening;

function wholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  return Number(text);
}

function names(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}

function driftKinds(text: string): DriftKind[] {
  return names(text).map(oneOf(...DRIFT_KINDS));
}

function oneOf<T extends string>(...allowed: T[]): (text: string) => T {
  return (text) => {
    if (!allowed.includes(text as T)) throw new InvalidArgumentError(`Expected one of: ${allowed.join(', ')}.`);
    return text as T;
  };
}

/** Parses `limit=403,invalid=422` into the statuses of version 2 errors. Errors not listed keep their default. */
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

/** Reads the flags. Exits the process for `--help` and for an invalid flag. */
export function readFlags(argv: string[]): Flags {
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
      '--page-policy <policy>',
      'a page beyond the tenth: refuse, clamp (the tenth) or empty (default refuse)',
      oneOf('refuse', 'clamp', 'empty'),
    )
    .option(
      '--total-pages <which>',
      'total_pages where ten is the most: all there are, or ten (default all)',
      oneOf('all', 'ten'),
    )
    .option('--v1-page-cap <n>', 'last page of version 1 searches; 0: none (default 0)', count)
    .option('--count-cap <n>', 'largest total a search tells; 0: totals are exact (default 0)', count)
    .option(
      '--order <order>',
      'order of search results: by id, or shuffled in each answer (default id)',
      oneOf('id', 'shuffled'),
    )
    .option(
      '--ids <form>',
      'ids as documented, or all number or text (default documented)',
      oneOf('documented', 'number', 'text'),
    )
    .option('--drift <kinds>', 'answers with what the reference does not have: field, type, missing', driftKinds)
    .option('--ignore-filter <names>', 'company filters that are accepted and ignored, e.g. nace,name', names)
    .option('--refuse-filter <names>', 'company filters that are InvalidRequest', names)
    .option(
      '--bounds <kind>',
      'bounds of ranges: inclusive, half-open (the lower is) or exclusive (default inclusive)',
      oneOf('inclusive', 'half-open', 'exclusive'),
    )
    .option(
      '--incorporation <form>',
      'bounds of company_incorporation: date or year (default date)',
      oneOf('date', 'year'),
    )
    .option(
      '--incorporation-policy <policy>',
      'bounds of the other kind: refuse, or empty for no results (default refuse)',
      oneOf('refuse', 'empty'),
    )
    .option(
      '--incorporation-null <meaning>',
      'null as company_incorporation: refuse, ignore, or select companies without a date (default refuse)',
      oneOf('refuse', 'ignore', 'select'),
    )
    .option('--clones <n>', 'number of identical companies that no filter can separate (default 0)', count)
    .option(
      '--event-twins <kind>',
      'pairs of watch events in one second: none, different (in their values), or alike (default none)',
      oneOf('none', 'different', 'alike'),
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
    .option(
      '--autocomplete-needs <fields>',
      'fields of which autocomplete demands one: the five of its error, or any besides the country (default five)',
      oneOf('five', 'any'),
    )
    .option('--headers-timeout <ms>', 'time a client has to send its headers (default 10000)', count)
    .option('--request-timeout <ms>', 'time a client has to send a whole request (default 60000)', count)
    .option('--open-controls', 'let /_sandbox answer to other machines too');
  program.addHelpText('after', '\nExample:\n  tidemark sandbox --companies 10000 --seed 7 --port 4010\n');
  const { key, ...flags } = program.parse(argv, { from: 'user' }).opts<Omit<Flags, 'key'> & { key?: string[] }>();
  return key === undefined ? flags : { ...flags, ...readKeyFlags(key) };
}
