import { formatShare } from '../../../schemas/format.js';
import type { Database } from '../duckdb/database.js';

const MOST = 5;

interface DriftRow {
  route: string;
  path: string;
  kind: string;
  type: string | null;
  expected: string | null;
  share: number;
  is_new: boolean;
  of: string;
}

/**
 * Describes the schema drift that a run found (`ops.drift`): how its answers differ from the API reference. New
 * differences come first. Returns at most five lines; if there are more differences, the last line says how many.
 * @param options.onlyNew true: leaves out drift that an earlier run had
 */
export async function describeDrift(db: Database, run: string, { onlyNew = false } = {}): Promise<string[]> {
  const rows = await db.rows<DriftRow>(
    `SELECT route, path, kind, type, expected, share, first_run = last_run AS is_new, count(*) OVER () AS "of"
     FROM ops.drift WHERE last_run = $run ${onlyNew ? 'AND first_run = last_run ' : ''}ORDER BY is_new DESC, share DESC, route, path LIMIT ${MOST}`,
    { run },
  );
  const total = Number(rows[0]?.of ?? 0);
  if (total <= MOST) return rows.map(inWords);
  return [...rows.slice(0, MOST - 1).map(inWords), `and ${total - MOST + 1} more: see ops.drift.`];
}

function inWords({ route, path, kind, type, expected, share, is_new }: DriftRow): string {
  const what =
    kind === 'new field'
      ? `New field ${path} (${type})`
      : kind === 'missing'
        ? `${path} is missing`
        : `${path} is ${type} instead of ${expected ?? 'its earlier type'}`;
  return `${what} in ${formatShare(share)} of the answers of ${route}${is_new ? '' : ', as before'}.`;
}
