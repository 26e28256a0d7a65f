import type { PayeeRow } from '../../payees/read-payees.js';
import { errorMessage, TidemarkError } from '../../core/errors.js';
import type { PlainValue } from '../../duckdb/plain-value.js';
import type { KnownPayees } from './known-answers.js';

const ADDED = ['check_id', 'decision', 'checked_at', 'fault'];

/** A list with the question hash of each row; null for a row that was rejected. */
export interface HashedList {
  header: string[];
  rows: (PayeeRow & { hash: string | null })[];
}

/** Makes the rows of the result file: the user's rows and columns, then the columns of `ADDED`. */
export function resultRows(
  { header, rows }: HashedList,
  { answers, faults }: KnownPayees,
): { columns: string[]; rows: PlainValue[][] } {
  // If the list is a result file of an earlier check, leave out its result columns: they get new values.
  const own = header.flatMap((name, i) => (ADDED.includes(name) ? [] : [i]));
  return {
    columns: [...own.map((i) => header[i] ?? ''), ...ADDED],
    rows: rows.map(({ cells, hash, problem }) => {
      const answer = hash === null ? undefined : answers.get(hash);
      const fault = hash === null ? problem : (faults.get(hash) ?? (answer === undefined ? NO_ANSWER : null));
      const added = [answer?.check_id ?? null, answer?.decision ?? null, answer?.observed_at ?? null, fault];
      return [...own.map((i) => cells[i] || null), ...added];
    }),
  };
}

const NO_ANSWER = 'no answer yet: run the command again';

/**
 * Writes the result file, readable only by its owner, because it holds the account numbers of the list.
 * @throws TidemarkError when the file cannot be written
 */
export async function writeResultFile(file: string, list: HashedList, known: KnownPayees): Promise<void> {
  const [{ writeFileAtomic }, { withoutFormulas, writeCsv }, { once }] = await Promise.all([
    import('../../core/files.js'),
    import('../published/write-rows.js'),
    import('./read-list.js'),
  ]);
  const { columns, rows } = resultRows(list, known);
  const guard = (value: PlainValue): PlainValue => (typeof value === 'string' ? withoutFormulas(value) : value);
  // The user's own cells stay as they are. The other cells may hold text of the API.
  const safe = rows.map((row) => [...row.slice(0, -ADDED.length), ...row.slice(-ADDED.length).map(guard)]);
  const texts: string[] = [];
  await writeCsv({ columns, batches: once(safe) }, async (text) => void texts.push(text), { exact: true });
  try {
    await writeFileAtomic(file, texts.join(''));
  } catch (error) {
    throw new TidemarkError('Internal', `Cannot write ${file}: ${errorMessage(error)}`, {
      todo: 'Name another file with --out and run the command again. It does not repeat the fresh checks.',
      cause: error,
    });
  }
}
