import { pullParts, type LandedPart } from '../landing/index.js';
import type { Database } from '../duckdb/database.js';
import { findPartFault } from './part-check.js';

const V1_REPORTS = `(SELECT report_id FROM ledger.reports WHERE source = 'v1')`;

/**
 * For each stream: the tables of the ledger, or some of their rows, that only the staging of this stream writes. The
 * staging of every stream also writes SHARED_TABLES.
 */
const OWN_ROWS: Record<string, readonly string[]> = {
  companies: ['ledger.company_records', 'ledger.code_extras'],
  financials_v1: [
    'ledger.v1_values',
    'ledger.v1_reports',
    `ledger.report_values WHERE report_id IN ${V1_REPORTS}`,
    `ledger.reports WHERE source = 'v1'`,
  ],
  watched_companies: ['ledger.watched_companies'],
  watch_events: ['ledger.received_events', 'ledger.delivered_values'],
  tenders: [
    'ledger.tender_sightings',
    `ledger.tender_records WHERE source = 'summary'`,
    `ledger.tender_versions WHERE source = 'summary'`,
  ],
  enrichments: ['ledger.enrichment_answers'],
  matches: ['ledger.match_answers', 'ledger.match_decisions'],
  tender_details: [`ledger.tender_records WHERE source = 'details'`, `ledger.tender_versions WHERE source = 'details'`],
};
const SHARED_TABLES = ['observations', 'answers', 'rejects', 'shapes', 'loaded_parts'];

/**
 * Removes from the ledger all rows of the streams that a migration listed in `ledger.streams_to_read_again`. The next
 * load then reads their parts again. If a loaded part of a stream is missing or changed, keeps the stream's rows and
 * leaves the stream on the list.
 * @param parts all parts in the landing zone
 */
export async function forgetStreamsToReadAgain(
  db: Database,
  dataDir: string,
  parts: readonly LandedPart[],
): Promise<void> {
  const listed = await db.rows<{ stream: string }>('SELECT stream FROM ledger.streams_to_read_again ORDER BY stream');
  for (const { stream } of listed) {
    if (!(await isComplete(db, dataDir, stream, parts))) continue;
    await db.transaction(async () => {
      for (const rows of OWN_ROWS[stream] ?? []) await db.run(`DELETE FROM ${rows}`);
      for (const table of SHARED_TABLES) await db.run(`DELETE FROM ledger.${table} WHERE stream = $stream`, { stream });
      await db.run('DELETE FROM ledger.streams_to_read_again WHERE stream = $stream', { stream });
    });
  }
}

/** Whether the landing zone still holds every loaded part of a stream, unchanged. */
async function isComplete(
  db: Database,
  dataDir: string,
  stream: string,
  parts: readonly LandedPart[],
): Promise<boolean> {
  const byHash = new Map(parts.filter((part) => part.stream === stream).map((part) => [part.sha256, part]));
  const loaded = await db.rows<{ sha256: string }>('SELECT sha256 FROM ledger.loaded_parts WHERE stream = $stream', {
    stream,
  });
  for (const { sha256 } of loaded) {
    const part = byHash.get(sha256);
    if (part === undefined) return false;
    await pullParts(dataDir, [part], { skipFaulty: true });
    if ((await findPartFault(part)) !== undefined) return false;
  }
  return true;
}
