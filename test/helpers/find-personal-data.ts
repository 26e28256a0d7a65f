import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Project } from './project.js';

/**
 * All bytes in which personal data might remain: the files of the data folder, and values as JSON text. Parquet and DuckDB
 * files may compress their pages, so the landed bodies are added as text, too.
 * @param streams landing streams whose bodies are read
 */
export async function searchFor(project: Project, streams: string[], values: unknown[]): Promise<Buffer[]> {
  const bodies = await Promise.all(
    streams.map((stream) =>
      project.query(`SELECT request_key, row_kind, body FROM read_parquet('${landedParts(project, stream)}')`),
    ),
  );
  const texts = [...values, ...bodies].map((value) => Buffer.from(JSON.stringify(value)));
  return [...filesBelow(project.dataDir), ...filesBelow(project.landing), ...texts];
}

/** The pattern of a stream's landed parts, for `read_parquet`. */
export function landedParts(project: Project, stream: string): string {
  return path.join(project.landing, stream, '**', '*.parquet');
}

function filesBelow(folder: string): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file));
}
