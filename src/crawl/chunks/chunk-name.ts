/** Returns the name of a chunk, such as `companies-00003`. The name is unique in its run. */
export function chunkName(stream: string, chunk: number): string {
  return `${stream}-${String(chunk).padStart(5, '0')}`;
}
