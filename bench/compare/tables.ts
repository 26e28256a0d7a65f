import { formatCount } from '../../schemas/format.js';
import { measured, median, type Cell, type ResultTable, type Unit } from '../report/result.js';
import type { Outcome } from './contender.js';
import type { Difference } from './expected.js';

/** One run of a contender. */
export interface Turn {
  outcome: Outcome;
  difference: Difference;
  /** Requests that the sandbox answered. */
  requests: number;
  /** Seconds from the first to the last request. */
  crawl: number;
  /** Seconds from the start until the contender was ready. */
  total: number;
  /** Seconds from the start until the first row could be queried. */
  queryable: number;
  /** CPU seconds of the sandbox. */
  sandboxCpu: number;
}

const COMPARED = 'Tidemark';

/** Makes the tables of the contenders at one latency of the sandbox. */
export function compareTables(latency: number, turns: ReadonlyMap<string, Turn[]>): ResultTable[] {
  const tables = [speed(latency, turns), resources(latency, turns), rows(latency, turns)];
  const temporal = temporalTable(turns);
  return temporal !== null && latency === 0 ? [...tables, temporal] : tables;
}

function speed(latency: number, turns: ReadonlyMap<string, Turn[]>): ResultTable {
  const endToEnd = ({ requests, total }: Turn): number => requests / total;
  const ours = median((turns.get(COMPARED) ?? []).map(endToEnd));
  return {
    name: `speed at ${latency} ms`,
    columns: ['contender', 'requests', 'calls/s, crawl', 'calls/s, end to end', 'first row after', 'Tidemark ÷ this'],
    rows: rowsOf(turns, (all) => [
      each(all, 'count', ({ requests }) => requests),
      each(all, 'per second', ({ requests, crawl }) => requests / crawl),
      each(all, 'per second', endToEnd),
      each(all, 'seconds', ({ queryable }) => queryable),
      measured([ours / median(all.map(endToEnd))], 'ratio'),
    ]),
  };
}

function resources(latency: number, turns: ReadonlyMap<string, Turn[]>): ResultTable {
  const script = [...turns.keys()].find((name) => name.startsWith('plain script'));
  const own = ({ outcome }: Turn): number => Object.values(outcome.cpu)[0] ?? Number.NaN;
  const ofScript = median((turns.get(script ?? '') ?? []).map(own));
  return {
    name: `resources at ${latency} ms`,
    columns: ['contender', 'CPU', "÷ the script's", 'CPU of other processes', 'CPU of the sandbox', 'peak memory'],
    rows: rowsOf(turns, (all) => [
      each(all, 'seconds', own),
      measured([median(all.map(own)) / ofScript], 'ratio'),
      Object.keys(all[0]?.outcome.cpu ?? {})
        .slice(1)
        .map((name) => `${name} ${median(all.map(({ outcome }) => outcome.cpu[name] ?? 0)).toFixed(1)} s`)
        .join(', '),
      each(all, 'seconds', ({ sandboxCpu }) => sandboxCpu),
      each(all, 'MiB', ({ outcome }) => outcome.peakMiB),
    ]),
  };
}

function rows(latency: number, turns: ReadonlyMap<string, Turn[]>): ResultTable {
  return {
    name: `rows at ${latency} ms`,
    columns: ['contender', 'companies', 'values', 'companies missing', 'values missing', 'wrong rows'],
    rows: rowsOf(turns, (all) => [
      each(all, 'count', ({ difference }) => difference.companies),
      each(all, 'count', ({ difference }) => difference.values),
      each(all, 'count', ({ difference }) => difference.missingCompanies),
      each(all, 'count', ({ difference }) => difference.missingValues),
      each(all, 'count', ({ difference }) => difference.wrong),
    ]),
  };
}

/** What the Temporal server costs; null if Tidemark was not measured. */
function temporalTable(turns: ReadonlyMap<string, Turn[]>): ResultTable | null {
  const all = (turns.get(COMPARED) ?? []).flatMap((turn) =>
    turn.outcome.temporal === undefined ? [] : [{ ...turn, temporal: turn.outcome.temporal }],
  );
  if (all.length === 0) return null;
  const cell = (unit: Unit, of: (turn: (typeof all)[number]) => number): Cell => measured(all.map(of), unit);
  return {
    name: 'Temporal',
    columns: ['what', 'measured'],
    rows: [
      {
        name: 'CPU of the Temporal server',
        cells: [cell('seconds', ({ outcome }) => outcome.cpu['Temporal server']!)],
      },
      {
        name: `history events, ${formatCount(all[0]!.difference.companies)} companies`,
        cells: [cell('count', ({ temporal }) => temporal.events)],
      },
      {
        name: 'history events per 1,000 companies',
        cells: [cell('count', ({ temporal, difference }) => (temporal.events / difference.companies) * 1_000)],
      },
      {
        name: 'growth of its database, first night',
        cells: [cell('MiB', ({ temporal }) => temporal.databaseMiB[0])],
      },
      {
        name: 'growth of its database, second night without changes',
        cells: [cell('MiB', ({ temporal }) => temporal.databaseMiB[1])],
      },
    ],
  };
}

function rowsOf(turns: ReadonlyMap<string, Turn[]>, cells: (all: Turn[]) => Cell[]): ResultTable['rows'] {
  return [...turns].map(([name, all]) => ({ name, cells: cells(all) }));
}

function each(all: readonly Turn[], unit: Unit, of: (turn: Turn) => number): Cell {
  return measured(all.map(of), unit);
}
