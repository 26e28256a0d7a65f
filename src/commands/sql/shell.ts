import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Published } from '../../builds/published.js';
import { errorMessage, TidemarkError } from '../../core/errors.js';
import { splitOpen } from '../../duckdb/split-statements.js';
import { say, tell } from '../../terminal/print.js';
import { sayTable } from '../../terminal/say-table.js';
import type { Format } from '../published/formats.js';
import { readCatalog, type Catalog } from './catalog.js';
import { complete } from './complete.js';
import { COMMANDS, FORMATS } from './shell-commands.js';

const PROMPT = 'tidemark> ';
const CONTINUED = '     ...> ';
const MOST_HISTORY = 1_000;

/** What a query in the shell uses. */
export interface QueryOptions {
  format: (typeof FORMATS)[number];
  out: string | undefined;
}

/** Runs one query and prints or writes its rows. */
type Run = (sql: string, options: QueryOptions) => Promise<void>;

/**
 * Reads statements from the terminal and runs each when it ends with a semicolon. Lines are kept in a history file.
 * Returns at `\q` or Ctrl-D.
 * @param asked Format in which rows are printed at first
 */
export async function runShell(published: Published, asked: Format | undefined, run: Run): Promise<void> {
  const catalog = await readCatalog(published);
  const options: QueryOptions = { format: FORMATS.find((one) => one === asked) ?? 'table', out: undefined };
  let open = '';
  const readline = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: PROMPT,
    history: readHistory(),
    historySize: MOST_HISTORY,
    removeHistoryDuplicates: true,
    completer: (line: string) => complete(line, open, catalog),
  });
  readline.on('history', writeHistory);
  // Ctrl-C stops the query in progress, or discards the statement that is being typed, as in other shells.
  let isRunning = false;
  readline.on('SIGINT', () => {
    if (isRunning) return published.interrupt();
    open = '';
    readline.write(null, { ctrl: true, name: 'e' });
    readline.write(null, { ctrl: true, name: 'u' });
    process.stdout.write('\n');
    prompt(readline, open);
  });
  // The terminal is gone, so nobody waits for the query.
  readline.on('close', () => isRunning && published.interrupt());
  say('Statements end with ";". \\? shows the commands; Tab completes names.');
  prompt(readline, open);
  for await (const line of readline) {
    if (open === '' && line.trim().startsWith('\\')) {
      if (line.trim() === '\\q') break;
      runCommand(line.trim(), catalog, options);
    } else {
      const { statements, rest } = splitOpen(`${open}\n${line}`);
      open = rest;
      for (const statement of statements) {
        isRunning = true;
        await tryQuery(statement, options, run);
        isRunning = false;
      }
    }
    prompt(readline, open);
  }
  readline.close();
}

async function tryQuery(sql: string, options: QueryOptions, run: Run): Promise<void> {
  try {
    await run(sql, { ...options });
  } catch (error) {
    const isInterrupted = errorMessage(error).startsWith('INTERRUPT');
    tell(isInterrupted ? 'The query was stopped.' : `error: ${errorMessage(error)}`);
    if (!isInterrupted && error instanceof TidemarkError) tell(`  ${error.todo}`);
  }
  options.out = undefined;
}

function prompt(readline: Interface, open: string): void {
  readline.setPrompt(open === '' ? PROMPT : CONTINUED);
  readline.prompt();
}

function runCommand(line: string, catalog: Catalog, options: QueryOptions): void {
  const [command = '', ...words] = line.replace(/;$/, '').split(/\s+/);
  const rest = words.join(' ');
  if (command === '\\?')
    sayTable({ columns: ['command', 'what it does'], rows: Object.entries(COMMANDS) }, { wrap: ['what it does'] });
  else if (command === '\\d') describe(rest, catalog);
  else if (command === '\\out') {
    options.out = rest === '' ? undefined : rest;
    say(rest === '' ? 'Rows are printed.' : `The rows of the next query go to ${rest}.`);
  } else if (command === '\\format') {
    const format = FORMATS.find((one) => one === rest);
    if (format === undefined)
      return tell(`error: ${rest || '(nothing)'} is not a format. Choose from ${FORMATS.join(', ')}.`);
    options.format = format;
    say(`Rows are printed as ${format}.`);
  } else tell(`error: there is no command ${command}. \\? lists the commands.`);
}

function describe(name: string, { tables }: Catalog): void {
  const wrap = ['comment'];
  if (name === '')
    return sayTable(
      { columns: ['table', 'comment'], rows: tables.map(({ table, comment }) => [table, firstSentence(comment)]) },
      { wrap },
    );
  const found = tables.find(({ table }) => table === name.toLowerCase() || table.split('.')[1] === name.toLowerCase());
  if (found === undefined) return tell(`error: there is no table ${name}. \\d lists the tables.`);
  say(`${found.table}: ${found.comment ?? ''}`);
  sayTable(
    {
      columns: ['column', 'type', 'comment'],
      rows: found.columns.map(({ name: column, type, comment }) => [column, type, comment]),
    },
    { wrap },
  );
}

function firstSentence(comment: string | null): string {
  return /^.*?[.](?= |$)/s.exec(comment ?? '')?.[0] ?? comment ?? '';
}

/** Path of the file with earlier lines. */
export function historyFile(env: NodeJS.ProcessEnv = process.env): string {
  const state = env['XDG_STATE_HOME'] || path.join(homedir(), '.local', 'state');
  return path.join(state, 'tidemark', 'sql_history');
}

/** Reads earlier lines, the newest first; none if the file cannot be read. */
function readHistory(): string[] {
  try {
    return readFileSync(historyFile(), 'utf8').split('\n').filter(Boolean).toReversed();
  } catch {
    return [];
  }
}

function writeHistory(newestFirst: string[]): void {
  try {
    mkdirSync(path.dirname(historyFile()), { recursive: true, mode: 0o700 });
    writeFileSync(historyFile(), `${newestFirst.toReversed().join('\n')}\n`, { mode: 0o600 });
  } catch {
    // A shell without a history file still works.
  }
}
