import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { checkContent, isSame, isStorageError, storageError } from '../errors.js';
import { placeFile } from '../files.js';
import { TransientError } from '../retry.js';
import type { Content } from '../storage.js';
import { versionIn, type Headers, type S3Client } from './client.js';
import { provesContent } from './proof.js';

/** A service may show a new file late. After this many answers "not found", believe them. */
const MOST_MISSING = 4;
/** After this many whole files with wrong content, the file itself is damaged. */
const MOST_WRONG = 3;
/** If a piece does not come over a slow or bad connection, pieces of this size may. */
const SMALL_BYTES = 2 ** 18;

/** What a download must match. */
export interface Proof {
  expected: Content | undefined;
  /** Whether the list names the file with this size and version. Decides without `expected`, if no metadata does. */
  isListed: (bytes: number, version: string | undefined) => Promise<boolean>;
  /** Size of the pieces in which the file comes. One piece is in memory. */
  pieceBytes: number;
}

/** Copies an object to a file, as `readObject` reads it. The target gets its name when it is complete and right. */
export async function downloadObject(client: S3Client, key: string, file: string, proof: Proof): Promise<Content> {
  return placeFile(file, async (temporary) => {
    const handle = await open(temporary, 'ax', 0o600);
    try {
      const found = await readObject(client, key, proof, handle);
      await handle.sync();
      return found;
    } finally {
      await handle.close();
    }
  });
}

/**
 * Reads an object of any size, piece by piece. Repeats a piece that did not come, at last in smaller pieces. Begins again
 * if the content was wrong: it must match `expected`, or its metadata.
 * @param handle file for the content; undefined if only size and hash are wanted
 * @throws StorageError `missing`, or `damaged` if the content is wrong each time
 */
export async function readObject(client: S3Client, key: string, proof: Proof, handle?: FileHandle): Promise<Content> {
  const { expected, isListed } = proof;
  let before: string | undefined;
  for (let wrong = 1; ; wrong++) {
    const { content, headers, isWhole } = await readPieces(client, key, proof, handle);
    if (expected === undefined ? provesContent(headers, key, content.sha256) : isSame(content, expected))
      return content;
    const isAgain = expected === undefined && before === content.sha256;
    if (isAgain && (await isListed(content.bytes, versionIn(headers)))) return content;
    before = content.sha256;
    if (wrong === MOST_WRONG) {
      if (!isWhole) throw storageError('unreachable', client, key, 'changed each time while it was read');
      checkContent(content, expected, client, key);
      throw storageError('damaged', client, key, 'does not match its hash');
    }
  }
}

/** Reads one version of the file. If the file changes meanwhile, stops: then the content is wrong. */
async function readPieces(
  client: S3Client,
  key: string,
  { expected, pieceBytes }: Proof,
  handle: FileHandle | undefined,
): Promise<{ content: Content; headers: Headers; isWhole: boolean }> {
  const mostBytes = expected?.bytes ?? Infinity;
  const hash = createHash('sha256');
  let [bytes, total, size] = [0, Infinity, pieceBytes];
  let headers: Headers = {};
  await handle?.truncate(0);
  while (bytes < total && bytes <= mostBytes) {
    const range = { start: bytes, end: mostBytes <= size ? undefined : bytes + size, version: versionIn(headers) };
    const piece = await readPiece(client, key, range).catch((error: unknown) => {
      if (Math.min(size, mostBytes) <= SMALL_BYTES || !isStorageError(error, 'unreachable')) throw error;
      size = SMALL_BYTES;
      return 'again' as const;
    });
    if (piece === 'again') continue;
    if (piece === undefined) break;
    ({ headers, total } = piece);
    await handle?.appendFile(piece.body);
    hash.update(piece.body);
    bytes += piece.body.length;
  }
  return { content: { bytes, sha256: hash.digest('hex') }, headers, isWhole: bytes >= total || bytes > mostBytes };
}

/**
 * Reads the bytes from `start` to before `end`; the whole file without `end`.
 * @param version of the pieces before; undefined for the first piece
 * @returns the bytes and the size of the file; undefined if the service has another version now
 * @throws StorageError `missing`
 */
async function readPiece(
  client: S3Client,
  key: string,
  { start, end, version }: { start: number; end: number | undefined; version: string | undefined },
): Promise<{ body: Buffer; headers: Headers; total: number } | undefined> {
  let missing = 0;
  let isWhole = end === undefined;
  return client.retry(key, async () => {
    const range = isWhole ? {} : { range: `bytes=${start}-${Number(end) - 1}` };
    const same = version === undefined ? {} : { 'if-match': `"${version}"` };
    const call = { method: 'GET', key, headers: { ...range, ...same }, handles: [404, 412, 416] } as const;
    const { status, headers, body } = await client.sendOnce(call);
    if (start > 0 && (status === 200 || status === 412 || status === 416)) return undefined;
    if (status >= 400) {
      if (status === 404 && ++missing >= MOST_MISSING) throw storageError('missing', client, key, 'does not exist');
      // An empty file has no range.
      isWhole ||= status === 416;
      throw new TransientError(`the service answers status ${status}`);
    }
    if (status === 200) return { body, headers, total: body.length };
    // Such as `bytes 4-9/10`.
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
    if (Number(first) !== start || body.length === 0)
      throw new TransientError('the answer is not the range that was asked for');
    return { body, headers, total: Number(total) };
  });
}
