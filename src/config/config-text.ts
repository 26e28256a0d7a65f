import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { TidemarkError } from '../base/errors.js';

/** Path of a setting: keys and positions in lists, such as `['markets', 1, 'name']`. */
export type SettingPath = readonly PropertyKey[];

/** A parsed configuration file, with the positions of its settings. */
export interface ConfigText {
  content: Record<string, unknown>;
  /** Returns `line 3, column 5`. If the file lacks the setting, returns the place of the setting around it, or null. */
  placeOf(path: SettingPath): string | null;
}

/**
 * Parses the text of a configuration file.
 * @throws TidemarkError `InvalidConfig` with line and column for text that is not YAML
 */
export function parseConfigText(file: string, text: string): ConfigText {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: true, lineCounter: lines });
  const fault = document.errors[0];
  const value: unknown = fault ? undefined : document.toJS();
  if (fault || typeof value !== 'object' || value === null || Array.isArray(value)) {
    const why = firstLine(fault?.message) ?? 'it must be a mapping of keys';
    throw new TidemarkError('InvalidConfig', `${file} is not valid YAML: ${why}`, {
      todo: 'Correct the line named above.',
    });
  }
  return {
    content: value as Record<string, unknown>,
    placeOf: (path) => {
      const offset = offsetOf(document, path);
      if (offset === null) return null;
      const { line, col } = lines.linePos(offset);
      return `line ${line}, column ${col}`;
    },
  };
}

/** Writes the path of a setting: `markets[1].filters.country`. */
export function showSetting(path: SettingPath): string {
  if (path.length === 0) return '(top level)';
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

/**
 * Finds where a setting begins: at its key, or at the entry of a list. For a setting that the file lacks, finds where the
 * innermost setting around it begins.
 */
function offsetOf(document: Document, path: SettingPath): number | null {
  let node: unknown = document.contents;
  let offset: number | null = null;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    let start: unknown;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      [start, node] = [pair?.key, pair?.value];
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      start = node;
    } else break;
    const found = (start as { range?: [number, number, number] } | undefined)?.range?.[0];
    if (found === undefined) break;
    offset = found;
  }
  return offset;
}

/**
 * Returns only the first line of the YAML parser's message. Later lines quote the file, which may contain an API key.
 */
function firstLine(text: string | undefined): string | undefined {
  return text?.split('\n', 1)[0]?.replace(/:$/, '');
}
