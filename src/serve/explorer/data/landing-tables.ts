import { LandingStream } from '../../../../schemas/streams/landing-streams.js';
import { readSqlFolder } from '../../../warehouse/duckdb/sql-files.js';
import { stagingFiles } from '../../../warehouse/load/stage.js';
import type { LandingTables } from '../../../../schemas/explorer/api.js';

/**
 * Lists the landed streams with the `ledger` tables that the load writes from each. Reads the loading statements of the
 * installed version, because the published file has none. Tables that every stream writes are left out of the streams.
 */
export function landingTables(): { streams: LandingTables[]; every: string[] } {
  const texts = new Map(readSqlFolder('staging').map(({ name, text }) => [name, text]));
  const written = (file: string): string[] => {
    const found = (texts.get(`staging/${file}.sql`) ?? '').matchAll(/\b(?:INSERT|MERGE) INTO ((?:ledger|base)\.\w+)/g);
    const tables = new Set([...found].map(([, table]) => table ?? ''));
    // The tables `dirty_…` list changed keys and hold no data.
    return [...tables].filter((table) => !table.startsWith('ledger.dirty_')).toSorted();
  };
  const streams = LandingStream.options.map((stream) => ({
    stream,
    tables: [...new Set(stagingFiles(stream).flatMap(written))],
  }));
  return { streams, every: written('_finish') };
}
