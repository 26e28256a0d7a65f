import path from 'node:path';

/** A path as short as it can be said from here. */
export function showPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}
