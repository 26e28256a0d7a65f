import type { Piece } from './read-text.js';

const VERBS =
  '(?:delete|remove|move|rename|reset|drop|wipe|purge|truncate|restore|empty|erase|discard|overwrite|replace|revoke|clear|terminate|kill)';
// A verb of this list at the begin of a sentence or of a part of it, such as "or delete".
const ORDER = new RegExp(
  String.raw`(?:^|[.:;,(] ?|\b(?:or|and|then|to|must|may|can|should|you) )[*_\`]*${VERBS}\b`,
  'i',
);
const COMMAND =
  /\brm -|\bdown (?:-v|--volumes)|--abandon|--force\b|--drop\b|--prune\b|\bDROP (?:TABLE|SCHEMA)|namespace delete|\bmv |`tidemark (?:quarantine|forget)/;

/** Returns the sentences of a text that tell a person to delete, move, reset or restore something. */
export function readAdvice({ file, text }: Piece): { file: string; text: string }[] {
  return text
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?:])\s+/)
    .filter((sentence) => ORDER.test(sentence) || COMMAND.test(sentence))
    .map((sentence) => ({ file, text: sentence }));
}
