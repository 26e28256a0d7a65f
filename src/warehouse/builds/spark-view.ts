import type { TableFiles } from './table-files.js';

/**
 * Writes two statements for Spark: the first defines a temporary view of the files, the second fails if files are gone.
 * The view of `core.companies` is `core_companies`, because the name of a temporary view has no schema.
 *
 * In SQL, Spark takes one path, so the files are the alternatives of one glob. A glob skips missing files without an
 * error. So the second statement compares the number of rows.
 * @param place name of the storage: `s3://bucket/prefix` or the path of a folder
 */
export function sparkView(table: string, place: string, { files, rows }: TableFiles): string {
  const name = `\`${table.replace('.', '_').replaceAll('`', '``')}\``;
  const root = `${place.replace(/\/$/, '')}/`;
  const keys = files.map(({ path }) => escapeGlob(path.slice(root.length)));
  const glob = urlOf(escapeGlob(root)) + (keys.length === 1 ? keys.join('') : `{${keys.join(',')}}`);
  const message = `${table} does not have ${rows} rows: a file was removed. Create the view again from the current version.`;
  return `CREATE OR REPLACE TEMPORARY VIEW ${name} USING parquet OPTIONS (path ${literal(glob)});
SELECT assert_true(count(*) = ${rows}, ${literal(message)}) FROM ${name};
`;
}

/** Spark reads `s3://` only on some platforms, `s3a://` on all. A path without a scheme may be in another file system. */
function urlOf(path: string): string {
  return path.startsWith('s3://') ? path.replace('s3://', 's3a://') : `file:${path}`;
}

function escapeGlob(path: string): string {
  return path.replaceAll(/[\\{}[\]*?,^]/g, '\\$&');
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
