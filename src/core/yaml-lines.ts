import { isMap, isScalar, isSeq, type Document, type LineCounter } from 'yaml';

/**
 * Finds the line of a setting in a parsed YAML file, from 1. For a missing setting, returns the line of the nearest
 * setting around it; null when there is none.
 */
export function lineOf(document: Document, lines: LineCounter, setting: readonly PropertyKey[]): number | null {
  let node: unknown = document.contents;
  let line: number | null = null;
  for (const step of setting) {
    let at: { range?: readonly number[] | null } | undefined;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      at = isScalar(pair?.key) ? pair.key : undefined;
      node = pair?.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      at = node as typeof at;
    }
    const offset = at?.range?.[0];
    if (offset === undefined) return line;
    line = lines.linePos(offset).line;
  }
  return line;
}
