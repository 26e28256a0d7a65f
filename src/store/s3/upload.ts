import { open, stat, type FileHandle } from 'node:fs/promises';
import { inParallel } from '../../base/in-parallel.js';
import { storageError } from '../errors.js';
import { readBytes } from '../files.js';
import { TransientError } from '../retry.js';
import type { Content } from '../storage.js';
import { versionIn, type S3Client } from './client.js';
import { metadataOf, provesContent } from './proof.js';
import { readErrorCode, readUploadId, saysJoined, writePieces } from './xml.js';
import { sha256OfFile } from '../../base/hash.js';

/** S3 accepts at most this many pieces. */
const MOST_PIECES = 10_000;
/** Number of pieces in memory and in flight. */
const AT_ONCE = 3;
/** An answer may confirm a piece that the service does not have. Then all pieces are sent again, as often as this. */
const MOST_UPLOADS = 3;

/**
 * Sends a large file in pieces, which the service joins at the end: until then, readers see no file. The service checks
 * the hash of each piece. The hash of the whole file goes into its metadata.
 */
export async function uploadPieces(client: S3Client, key: string, file: string, pieceBytes: number): Promise<Content> {
  const { size } = await stat(file);
  const content = { bytes: size, sha256: await sha256OfFile(file) };
  const handle = await open(file, 'r');
  try {
    for (let attempt = 1; attempt <= MOST_UPLOADS; attempt++)
      if (await sendPieces(client, key, content, handle, Math.max(pieceBytes, Math.ceil(size / MOST_PIECES))))
        return content;
  } finally {
    await handle.close();
  }
  throw storageError('unreachable', client, key, 'cannot be sent: the service does not know pieces that it confirmed');
}

/** Whether the service has a file with this size, whose metadata names this hash. */
export async function isThere(client: S3Client, key: string, { bytes, sha256: hash }: Content): Promise<boolean> {
  const { status, headers } = await client.sendOnce({ method: 'HEAD', key, handles: [404] });
  return status === 200 && provesContent(headers, key, hash) && Number(headers['content-length']) === bytes;
}

/** Returns false if the service does not know a piece that an answer has confirmed. */
async function sendPieces(
  client: S3Client,
  key: string,
  content: Content,
  handle: FileHandle,
  pieceBytes: number,
): Promise<boolean> {
  const headers = metadataOf(key, content.sha256);
  const uploadId = await client.retry(key, async () => {
    const { body } = await client.sendOnce({ method: 'POST', key, query: { uploads: '' }, headers });
    const id = readUploadId(body.toString('utf8'));
    if (id === undefined) throw new TransientError('the service names no id for the upload');
    return id;
  });
  let isJoined = false;
  try {
    const etags: string[] = Array.from({ length: Math.ceil(content.bytes / pieceBytes) });
    await inParallel(etags.keys(), AT_ONCE, async (i) => {
      const body = await readBytes(handle, i * pieceBytes, pieceBytes);
      const query = { partNumber: String(i + 1), uploadId };
      etags[i] = await client.retry(key, async () => {
        const etag = versionIn((await client.sendOnce({ method: 'PUT', key, query, body })).headers);
        if (etag === undefined) throw new TransientError('the service names no ETag');
        return etag;
      });
    });
    isJoined = await joinPieces(client, key, { uploadId, content, etags });
  } finally {
    // Otherwise, the service would keep the pieces and charge for them. They are invisible to readers.
    if (!isJoined)
      await client.sendOnce({ method: 'DELETE', key, query: { uploadId }, handles: [404] }).catch(() => undefined);
  }
  return isJoined;
}

/** Returns false if the service does not know a piece. */
async function joinPieces(
  client: S3Client,
  key: string,
  { uploadId, content, etags }: { uploadId: string; content: Content; etags: string[] },
): Promise<boolean> {
  const body = Buffer.from(writePieces(etags));
  return client.retry(key, async () => {
    const handles = [404, 'InvalidPart'];
    const reply = await client.sendOnce({ method: 'POST', key, query: { uploadId }, body, handles });
    const text = reply.body.toString('utf8');
    if (reply.status === 200 && saysJoined(text)) return true;
    if (readErrorCode(text) === 'InvalidPart') return false;
    // The answer was lost or wrong, or the service no longer knows the upload. Perhaps an attempt succeeded.
    if (await isThere(client, key, content)) return true;
    throw new TransientError('the service no longer knows the upload');
  });
}
