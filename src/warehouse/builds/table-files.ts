import path from 'node:path';
import { isBucket } from '../../store/places.js';
import type { Manifest, StoredTable } from '../../store/versions.js';

/**
 * A table of a copied version, with the addresses of its files. `path` is `s3://…`, or an absolute path if the copy is in a
 * folder.
 */
export interface TableFiles extends Omit<StoredTable, 'files'> {
  files: (Omit<StoredTable['files'][number], 'key'> & { path: string })[];
}

/**
 * Returns the files of a table with their addresses. Undefined if the version has no such table.
 * @param place name of the storage: `s3://bucket/prefix` or the path of a folder
 */
export function filesOf(place: string, { tables }: Manifest, table: string): TableFiles | undefined {
  if (!Object.hasOwn(tables, table)) return undefined;
  const found = tables[table];
  return (
    found && { ...found, files: found.files.map(({ key, ...file }) => ({ path: addressOf(place, key), ...file })) }
  );
}

function addressOf(place: string, key: string): string {
  return isBucket(place) ? `${place.replace(/\/$/, '')}/${key}` : path.join(place, key);
}
