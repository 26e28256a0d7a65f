import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isDeepStrictEqual } from 'node:util';
import { queryFile } from '../../helpers/project.js';
import { ROOT } from '../../helpers/processes.js';
import type { StubEvent, StubState } from '../../stub/state.js';
import { companiesTruth, financialsTruth, membersTruth } from '../../stub/truth.js';

const exec = promisify(execFile);

/** Runs a script of this folder; returns the reason if it fails. */
export async function runScript(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    await exec(process.execPath, ['--import', 'tsx', `test/chaos/storm/${script}`, ...args], { cwd: ROOT, env });
    return null;
  } catch (error) {
    return String((error as { stderr?: string }).stderr || error).slice(-1_500);
  }
}

/** Differences between a market's tables and the stub's data, one sentence each. */
export async function differences(file: string, state: StubState, market: string): Promise<string[]> {
  const truths = {
    members: membersTruth(state, market),
    companies: companiesTruth(state),
    financials: financialsTruth(state),
  };
  const found: string[] = [];
  for (const [table, { sql, rows }] of Object.entries(truths)) {
    const held = await queryFile(file, sql);
    if (isDeepStrictEqual(held, rows)) continue;
    const at = rows.findIndex((row, index) => !isDeepStrictEqual(held[index], row));
    found.push(
      `${table}: ${held.length} rows where the API has ${rows.length}; the first that differs is ${JSON.stringify(held[at])} and should be ${JSON.stringify(rows[at])}`,
    );
  }
  return found;
}

/** Acknowledged deliveries that are not exactly once in the warehouse, with their number of rows. */
export async function miscounted(
  file: string,
  acknowledged: ReadonlyMap<string, StubEvent>,
): Promise<{ key: string; times: number }[]> {
  const rows = await queryFile(
    file,
    `SELECT company_id || ' ' || field || ' ' || strftime(occurred_at AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S') AS key, count(*)::INTEGER AS times
     FROM core.watch_events GROUP BY ALL`,
  );
  const counts = new Map(rows.map(({ key, times }) => [key as string, times as number]));
  return [...acknowledged.keys()].flatMap((key) => {
    const times = counts.get(key) ?? 0;
    return times === 1 ? [] : [{ key, times }];
  });
}
