import path from 'node:path';

/** The writer's DuckDB file. */
export function warehouseFile(dataDir: string): string {
  return path.join(dataDir, 'warehouse', 'tidemark.duckdb');
}

/** `data/published`: the builds and the links that readers open. */
export function publishedDir(dataDir: string): string {
  return path.join(dataDir, 'published');
}

/** The link that analysts open: it leads to the DuckDB file of the current build. */
export function publishedFile(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'market.duckdb');
}

/** The same tables as Parquet: a link that leads to the lake of the current build. */
export function publishedLake(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'lake');
}

/** Symlink to the current build. The two links above go through it, so that file and lake switch in one step. */
export function currentLink(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'current');
}

/** Folder of the immutable builds, one subfolder each. */
export function buildsDir(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'builds');
}

/** Folder of a run's due plan, with chunk files `chunk-00000.json` and so on. */
export function dueDir(dataDir: string, run: string, stream: string): string {
  return path.join(dataDir, 'runs', run, 'due', stream);
}

/** Path of one chunk file, numbered from 0: `chunk-00000.json`. */
export function chunkFile(folder: string, chunk: number): string {
  return path.join(folder, `chunk-${String(chunk).padStart(5, '0')}.json`);
}

/** `data/env`: dev environments, one file each. */
export function envDir(dataDir: string): string {
  return path.join(dataDir, 'env');
}

/** DuckDB file of an environment. */
export function envFile(dataDir: string, name: string): string {
  return path.join(envDir(dataDir), `${name}.duckdb`);
}
