import path from 'node:path';

/** The writer's own file. */
export function warehouseFile(dataDir: string): string {
  return path.join(dataDir, 'warehouse', 'tidemark.duckdb');
}

/** `data/published`: what readers see. */
export function publishedDir(dataDir: string): string {
  return path.join(dataDir, 'published');
}

/** What analysts open: a symlink to the file of the build that is current. */
export function publishedFile(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'market.duckdb');
}

/** The same tables as Parquet: a symlink to the lake of the build that is current. */
export function publishedLake(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'lake');
}

/** A symlink to the build that is current. The two above go through it, so that both change over in one step. */
export function currentLink(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'current');
}

/** Immutable builds behind the symlinks, a folder each. */
export function buildsDir(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'builds');
}

/** Chunk files of a run's due plan: `chunk-00000.json` and so on. */
export function dueDir(dataDir: string, run: string, stream: string): string {
  return path.join(dataDir, 'runs', run, 'due', stream);
}

export function chunkFile(folder: string, chunk: number): string {
  return path.join(folder, `chunk-${String(chunk).padStart(5, '0')}.json`);
}

/** `data/env`: dev environments, one file each. */
export function envDir(dataDir: string): string {
  return path.join(dataDir, 'env');
}

/** Changed models, built beside production. */
export function envFile(dataDir: string, name: string): string {
  return path.join(envDir(dataDir), `${name}.duckdb`);
}
