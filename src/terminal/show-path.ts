import path from 'node:path';

/** Shortens a path: relative to the current folder if it is below that folder, else unchanged. */
export function showPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}
