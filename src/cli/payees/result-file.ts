import type { PayeeList, PayeeRow } from '../../crawl/streams/payees/read-payees.js';
import { addColumns, type FileRow } from '../lists/write-list.js';
import type { KnownPayees } from './known-answers.js';

const ADDED = ['check_id', 'decision', 'checked_at', 'fault'];

const NO_ANSWER = 'no answer yet: run the command again';

/** A list with the question hash of each row; null for a row that was rejected. */
export interface HashedList extends Pick<PayeeList, 'header' | 'delimiter'> {
  rows: (PayeeRow & { hash: string | null })[];
}

/** Makes the rows of the result file: the user's rows and columns, then the columns of `ADDED`. */
export function resultRows(list: HashedList, { answers, faults }: KnownPayees): FileRow[] {
  // If the list is a result file of an earlier check, leave out its result columns: they get new values.
  const options = { replaces: true };
  return addColumns(
    list,
    ADDED,
    ({ hash, problem }) => {
      const answer = hash === null ? undefined : answers.get(hash);
      const fault = hash === null ? problem : (faults.get(hash) ?? (answer === undefined ? NO_ANSWER : null));
      return [answer?.check_id ?? null, answer?.decision ?? null, answer?.observed_at ?? null, fault];
    },
    options,
  );
}
