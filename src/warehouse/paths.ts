import path from 'node:path';

/** The writer's own file. */
export function warehouseFile(dataDir: string): string {
  return path.join(dataDir, 'warehouse', 'tidemark.duckdb');
}

/** `data/published`: what readers see. */
export function publishedDir(dataDir: string): string {
  return path.join(dataDir, 'published');
}

/** What analysts open: a symlink to the newest build. */
export function publishedFile(dataDir: string): string {
  return path.join(publishedDir(dataDir), 'market.duckdb');
}

/** Immutable builds behind the symlinks. */
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
