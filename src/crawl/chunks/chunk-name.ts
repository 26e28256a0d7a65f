/** Returns the name of a chunk, unique in run and stream, such as `companies-00003`. */
export function chunkName(stream: string, chunk: number): string {
  return `${stream}-${String(chunk).padStart(5, '0')}`;
}
