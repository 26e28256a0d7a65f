import path from 'node:path';

/** Returns the path relative to the current folder if it is inside that folder, else unchanged. */
export function showPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}
