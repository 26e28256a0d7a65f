import { openPublished } from '../../src/warehouse/builds/published.js';

// The time of building models and the run of a publication are not compared.
const LEFT_OUT: Record<string, string> = { 'meta.models': 'applied_at', 'ops.checks': 'at' };
// What a change of a model did depends on when it was applied.
const NO_CONTENT = ['meta.receipt', 'meta.model_changes'];

/** Returns a hash of each published table's rows, independent of their order. */
export async function hashTables(dataDir: string): Promise<Record<string, string>> {
  const published = await openPublished(dataDir);
  try {
    const names = await published.objects<{ name: string }>(
      `SELECT DISTINCT schema_name || '.' || table_name AS name FROM duckdb_columns()
       WHERE NOT internal AND schema_name IN ('core', 'marts', 'ops', 'meta') ORDER BY 1`,
    );
    const hashes: Record<string, string> = {};
    for (const { name } of names) {
      if (NO_CONTENT.includes(name)) continue;
      const columns = LEFT_OUT[name] ? `* EXCLUDE ("${LEFT_OUT[name]}")` : '*';
      const [row] = await published.objects<{ hash: string }>(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(r, chr(10) ORDER BY r)), '') AS hash
         FROM (SELECT CAST(t AS VARCHAR) AS r FROM (SELECT ${columns} FROM ${name}) AS t)`,
      );
      hashes[name] = row!.hash;
    }
    return hashes;
  } finally {
    published.close();
  }
}
