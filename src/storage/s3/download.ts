import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { errorMessage } from '../../core/errors.js';
import { storageError } from '../errors.js';
import { TransientError } from '../retry.js';
import type { Content } from '../storage.js';
import { checkContent, writeWhole } from '../whole-file.js';
import { versionIn, type Reply, type S3Client } from './client.js';

/** A service may show a new file late. After this many answers "not found", believe them. */
const MOST_MISSING = 4;

/**
 * Copies an object to a file. Continues after an interrupted answer from the last byte that came, unless the object
 * changed. The target gets its name when it is complete and matches `expected`.
 */
export async function downloadObject(
  client: S3Client,
  key: string,
  file: string,
  expected: Content | undefined,
): Promise<Content> {
  return writeWhole(
    file,
    (temporary) => writeBody(client, key, temporary),
    (found) => checkContent(found, expected, client, key),
  );
}

async function writeBody(client: S3Client, key: string, temporary: string): Promise<Content> {
  const handle = await open(temporary, 'wx', 0o600);
  try {
    const target = new Target(handle);
    let missing = 0;
    await client.retry(key, async (attempt) => {
      const call = { method: 'GET', key, headers: target.continuation, handles: [404, 412, 416] } as const;
      const { status, headers, body } = await client.open(call);
      if (Buffer.isBuffer(body)) {
        if (status === 404 && ++missing >= MOST_MISSING) throw storageError('missing', client, key, 'does not exist');
        await target.restart();
        throw new TransientError(`the service answers status ${status}`);
      }
      try {
        await target.take({ status, headers }, body, () => attempt.progressed());
      } catch (error) {
        body.on('error', () => undefined).destroy();
        throw error;
      }
    });
    await handle.sync();
    return target.content;
  } finally {
    await handle.close();
  }
}

/** The file into which a download writes. */
class Target {
  readonly #handle: FileHandle;
  #hash: Hash = createHash('sha256');
  #bytes = 0;
  #furthest = 0;
  #version: string | undefined;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Headers of the next request: ask for the bytes that are missing, of the same version. */
  get continuation(): Record<string, string> {
    return this.#bytes === 0 || this.#version === undefined
      ? {}
      : { range: `bytes=${this.#bytes}-`, 'if-match': `"${this.#version}"` };
  }

  /** Size and hash. Call it once, at the end. */
  get content(): Content {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async restart(): Promise<void> {
    await this.#handle.truncate(0);
    this.#hash = createHash('sha256');
    this.#bytes = 0;
  }

  /**
   * Writes the bytes of an answer as they come.
   * @param progressed called when there are more bytes than after any earlier attempt
   * @throws TransientError when the answer ends too early
   */
  async take(
    { status, headers }: Pick<Reply, 'status' | 'headers'>,
    body: AsyncIterable<Buffer>,
    progressed: () => void,
  ): Promise<void> {
    // A service that ignores the range sends the whole file again.
    if (status !== 206 && this.#bytes > 0) await this.restart();
    this.#version = versionIn(headers);
    const length = Number(headers['content-length'] ?? Number.NaN);
    const end = this.#bytes + length;
    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const chunk = await chunks.next().catch((error: unknown) => {
        throw new TransientError(errorMessage(error), { cause: error });
      });
      if (chunk.done === true) break;
      await this.#handle.write(chunk.value, 0, chunk.value.length, this.#bytes);
      this.#hash.update(chunk.value);
      this.#bytes += chunk.value.length;
      if (this.#bytes <= this.#furthest) continue;
      this.#furthest = this.#bytes;
      progressed();
    }
    if (Number.isFinite(length) && this.#bytes !== end) throw new TransientError('the answer ended too early');
  }
}
