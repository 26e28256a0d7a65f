import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { forgottenFile, personalDataKeyFile } from '../store/data-folder.js';
import { TidemarkError } from '../base/errors.js';

/*
 * The file `data/secrets/forgotten`: the tombstones, and the key with which they were made. So the list can never lose
 * its key.
 *
 *     key <64 hex digits>
 *     <tombstone>                        one line each
 *     end <sha256 of the lines before>   shows that the list is complete
 */

export const KEY_BYTES = 32;

/** A list of forgotten people. */
export interface ForgottenList {
  key: Buffer;
  tombstones: ReadonlySet<string>;
}

/**
 * Reads the list of forgotten people; undefined when there is none.
 * @throws TidemarkError `InvalidConfig` when the list is damaged. Then nobody knows whom to keep out of new answers
 */
export function readForgottenList(dataDir: string): ForgottenList | undefined {
  const file = forgottenFile(dataDir);
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const end = lines.at(-2) ?? '';
  const [first = '', ...tombstones] = lines.slice(0, -2);
  const isWhole = lines.at(-1) === '' && end === endOf([first, ...tombstones]) && /^key [0-9a-f]{64}$/.test(first);
  if (!isWhole) throw damaged(file);
  return { key: Buffer.from(first.slice(4), 'hex'), tombstones: new Set(tombstones) };
}

/** Returns the text of a list. */
export function writeForgottenList({ key, tombstones }: ForgottenList): string {
  const lines = [`key ${key.toString('hex')}`, ...tombstones];
  return `${[...lines, endOf(lines)].join('\n')}\n`;
}

/** Returns an empty list to replace one that cannot be read. Its key is the key of the fingerprints, if that is sound. */
export function newForgottenList(dataDir: string): ForgottenList {
  return { key: readKey(dataDir) ?? randomBytes(KEY_BYTES), tombstones: new Set() };
}

/** Reads the key of the fingerprints; undefined when it is missing or damaged. */
export function readKey(dataDir: string): Buffer | undefined {
  const file = personalDataKeyFile(dataDir);
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

function endOf(lines: readonly string[]): string {
  return `end ${createHash('sha256').update(lines.join('\n')).digest('hex')}`;
}

function damaged(file: string): TidemarkError {
  return new TidemarkError(
    'InvalidConfig',
    `The forgotten people are unknown: ${file} is damaged. No answer about people is landed.`,
    {
      todo: 'Restore data/secrets from a backup; then everything goes on. Without a backup, give the ids of all people, companies and contacts that were forgotten: `tidemark forget --replace-list --person …`. All others come back with the next answers.',
      retryable: true,
    },
  );
}
