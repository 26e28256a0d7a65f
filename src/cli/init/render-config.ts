import { stringify } from 'yaml';
import { visibleLine } from '../../base/text/visible-text.js';
import type { Entry } from './choices.js';
import { NIGHTLY_AT } from './flags.js';
import { sizeFilter, type Size } from './sizes.js';

/** The companies of a market, as a person chose them. */
export interface Selection {
  countries: readonly Entry[];
  industries: readonly Entry[];
  sizes: readonly Size[];
}

/** Everything that `tidemark init` writes into a configuration file. */
export interface Draft extends Selection {
  baseUrl: string;
  sandbox: boolean;
  /** Data folder, relative to the file. */
  data: string;
  market: string;
  /** Null: no schedule. `time` is `HH:MM`. */
  schedule: { time: string; timezone: string } | null;
  /** Path or address of the JSON Schema, for editors. */
  schema: string;
}

/** Writes the text of a configuration file, with comments. */
export function renderConfig(draft: Draft): string {
  const { baseUrl, sandbox, market, schema, data } = draft;
  return `${[
    `# yaml-language-server: $schema=${schema}`,
    '# Settings of Tidemark, written by `tidemark init`. docs/configuration.md explains every setting.',
    '# After an edit, check the file with `tidemark doctor` and restart the worker.',
    '# Never write the API key here: run `tidemark login`, or set TIDEMARK_API_KEY or TIDEMARK_API_KEY_FILE.',
    'api:',
    `  baseUrl: ${scalar(baseUrl)}${sandbox ? ' # the sandbox of `tidemark up --sandbox`' : ''}`,
    '  # maxConcurrency: 16 # limit of requests in flight',
    `data: ${scalar(data)} # landing zone, warehouse and published files; relative to this file`,
    'markets:',
    `  - name: ${scalar(market)}`,
    '    # The companies of the market: filters of the prospecting search, which Tidemark sends unchanged.',
    ...indent(4, filterLines(draft)),
    '    streams: [companies, financials] # also: executives, employees, ownership, …',
    '    refresh: { companies: 30d, financials: 90d } # the age at which a record is fetched again',
    ...indent(4, scheduleLines(draft.schedule)),
    '# To read tenders, too, remove the # from these lines:',
    '# tenders:',
    "#   schedule: { cron: '0 6 * * *', timezone: UTC }",
    '# personalData: contacts # keep names and contact data of people; the default is none',
  ].join('\n')}\n`;
}

function filterLines({ countries, industries, sizes }: Selection): string[] {
  const size = sizeFilter(sizes);
  const lines = [
    ...(countries.length === 0
      ? []
      : [
          'location_countries:',
          '  include:',
          ...countries.map(({ id, name }) => `    - ${scalar(id)} # ${visibleLine(name)}`),
        ]),
    // The names are the values of this filter (reference v2: "array of string").
    ...(industries.length === 0 ? [] : ['industry_focus:', ...industries.map(({ name }) => `  - ${scalar(name)}`)]),
    ...(size === null
      ? []
      : [
          `number_of_employees: ${flow(size)} # ${sizes.map(({ name }) => name).join(', ')}; only companies with a known number`,
        ]),
  ];
  if (lines.length === 0)
    return ['# {} selects all companies. Example: { company_status: [199] } (active companies)', 'filters: {}'];
  return ['filters:', ...indent(2, lines)];
}

function scheduleLines(schedule: Draft['schedule']): string[] {
  const { time, timezone } = schedule ?? { time: NIGHTLY_AT, timezone: 'UTC' };
  const [hour, minute] = time.split(':').map(Number);
  const line = `schedule: { cron: '${minute} ${hour} * * *', timezone: ${scalar(timezone)} }`;
  return [`${schedule === null ? '# ' : ''}${line} # \`tidemark schedule apply\` creates the schedule`];
}

function indent(columns: number, lines: readonly string[]): string[] {
  return lines.map((line) => `${' '.repeat(columns)}${line}`);
}

/** Writes a value in YAML, in quotes if it needs them. */
function scalar(value: string | number): string {
  return stringify(value, { lineWidth: 0 }).trim();
}

function flow(value: object): string {
  return stringify(value, { collectionStyle: 'flow' }).trim();
}
