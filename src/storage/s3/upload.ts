import { createHash, randomUUID } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { storageError } from '../errors.js';
import { TransientError } from '../retry.js';
import type { Content } from '../storage.js';
import { versionIn, type S3Client } from './client.js';
import { readUploadId, writePieces } from './xml.js';

const PIECE_BYTES = 16 * 2 ** 20;
/** S3 accepts at most this many pieces. */
const MOST_PIECES = 10_000;
/** Number of pieces in memory and in flight. */
const AT_ONCE = 3;
/** Metadata of a file that shows which upload made it. */
const MARK = 'x-amz-meta-tidemark-upload';

/**
 * Sends a file. A large file goes in pieces, which the service joins at the end: until then, readers see no file. The
 * service checks the hash of each piece.
 */
export async function uploadFile(
  client: S3Client,
  key: string,
  file: string,
  pieceBytes = PIECE_BYTES,
): Promise<Content> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const reader = new PieceReader(handle, Math.max(pieceBytes, Math.ceil(size / MOST_PIECES)));
    if (size <= pieceBytes) {
      await client.send({ method: 'PUT', key, body: (await reader.next()) ?? Buffer.alloc(0) });
    } else {
      await sendPieces(client, key, reader);
    }
    return reader.content;
  } finally {
    await handle.close();
  }
}

/** Reads a file piece by piece, and hashes it. */
class PieceReader {
  readonly #handle: FileHandle;
  readonly #pieceBytes: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(handle: FileHandle, pieceBytes: number) {
    this.#handle = handle;
    this.#pieceBytes = pieceBytes;
  }

  /** Returns the next piece; undefined at the end of the file. */
  async next(): Promise<Buffer | undefined> {
    const buffer = Buffer.alloc(this.#pieceBytes);
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, buffer.length - filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    if (filled === 0) return undefined;
    const piece = buffer.subarray(0, filled);
    this.#hash.update(piece);
    this.#bytes += filled;
    return piece;
  }

  /** Size and hash of all pieces. Call it once, at the end. */
  get content(): Content {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

async function sendPieces(client: S3Client, key: string, reader: PieceReader): Promise<void> {
  const mark = randomUUID();
  const begun = await client.send({ method: 'POST', key, query: { uploads: '' }, headers: { [MARK]: mark } });
  const uploadId = readUploadId(begun.body.toString('utf8'));
  if (uploadId === undefined) throw storageError('unreachable', client, key, 'got no id for its upload');
  try {
    const etags: string[] = [];
    for (let batch = await readBatch(reader); batch.length > 0; batch = await readBatch(reader)) {
      const before = etags.length;
      const sent = await Promise.allSettled(
        batch.map((body, i) => sendPiece(client, key, { uploadId, number: before + i + 1, body })),
      );
      for (const piece of sent) {
        if (piece.status === 'rejected') throw piece.reason;
        etags.push(piece.value);
      }
    }
    await joinPieces(client, key, { uploadId, mark, etags });
  } catch (error) {
    // Otherwise, the service would keep the pieces and charge for them. They are invisible to readers.
    await client.sendOnce({ method: 'DELETE', key, query: { uploadId }, handles: [404] }).catch(() => undefined);
    throw error;
  }
}

async function readBatch(reader: PieceReader): Promise<Buffer[]> {
  const batch: Buffer[] = [];
  while (batch.length < AT_ONCE) {
    const piece = await reader.next();
    if (piece === undefined) break;
    batch.push(piece);
  }
  return batch;
}

async function sendPiece(
  client: S3Client,
  key: string,
  { uploadId, number, body }: { uploadId: string; number: number; body: Buffer },
): Promise<string> {
  const query = { partNumber: String(number), uploadId };
  return client.retry(key, async () => {
    const etag = versionIn((await client.sendOnce({ method: 'PUT', key, query, body })).headers);
    if (etag === undefined) throw new TransientError('the service names no ETag');
    return etag;
  });
}

async function joinPieces(
  client: S3Client,
  key: string,
  { uploadId, mark, etags }: { uploadId: string; mark: string; etags: string[] },
): Promise<void> {
  const body = Buffer.from(writePieces(etags));
  await client.retry(key, async () => {
    const { status } = await client.sendOnce({ method: 'POST', key, query: { uploadId }, body, handles: [404] });
    if (status !== 404) return;
    // The service no longer knows the upload. Perhaps an earlier attempt succeeded and its answer was lost.
    const made = await client.sendOnce({ method: 'HEAD', key, handles: [404] });
    if (made.headers[MARK] !== mark) throw new TransientError('the service no longer knows the upload');
  });
}
