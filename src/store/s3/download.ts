import { createHash, type Hash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { checkContent, isSame, storageError } from '../errors.js';
import { placeFile } from '../files.js';
import { TransientError } from '../retry.js';
import type { Content } from '../storage.js';
import { versionIn, type Reply, type S3Client } from './client.js';
import { chunksOf } from './http.js';
import { provesContent } from './proof.js';

/** A service may show a new file late. After this many answers "not found", believe them. */
const MOST_MISSING = 4;
/** After this many whole answers with wrong content, the file itself is damaged. */
const MOST_WRONG = 3;

/** What a download must match. */
export interface Proof {
  expected: Content | undefined;
  /** Whether the list names the file with this size and version. Decides without `expected`, if no metadata does. */
  isListed: (bytes: number, version: string | undefined) => Promise<boolean>;
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
 * Reads an object of any size. Continues after an interrupted answer from the last byte that came, unless the object
 * changed. Begins again after an answer with wrong content: it must match `expected`, or its metadata.
 * @param handle file for the content; undefined if only size and hash are wanted
 * @throws StorageError `missing`, or `damaged` if the content is wrong each time
 */
export async function readObject(
  client: S3Client,
  key: string,
  { expected, isListed }: Proof,
  handle?: FileHandle,
): Promise<Content> {
  const target = new Target(handle, expected?.bytes ?? Infinity);
  let missing = 0;
  let wrong = 0;
  let before: string | undefined;
  return client.retry(key, async (progressed) => {
    const call = { method: 'GET', key, headers: target.continuation, handles: [404, 412, 416] } as const;
    const { status, headers, body } = await client.open(call);
    if (Buffer.isBuffer(body)) {
      if (status === 404 && ++missing >= MOST_MISSING) throw storageError('missing', client, key, 'does not exist');
      await target.restart();
      throw new TransientError(`the service answers status ${status}`);
    }
    await target.take({ status, headers }, body, progressed);
    const found = target.content;
    if (expected === undefined ? provesContent(headers, key, found.sha256) : isSame(found, expected)) return found;
    const isAgain = expected === undefined && before === found.sha256;
    if (isAgain && (await isListed(found.bytes, versionIn(headers)))) return found;
    before = found.sha256;
    if (++wrong === MOST_WRONG) {
      checkContent(found, expected, client, key);
      throw storageError('damaged', client, key, 'does not match its hash');
    }
    await target.restart();
    progressed();
    throw new TransientError('the content of the answer is wrong');
  });
}

/** What came of an object, and the file into which a download writes it. */
class Target {
  readonly #handle: FileHandle | undefined;
  readonly #mostBytes: number;
  #hash: Hash = createHash('sha256');
  #bytes = 0;
  #furthest = 0;
  #version: string | undefined;

  /** @param mostBytes a longer answer is wrong; its rest is not read */
  constructor(handle: FileHandle | undefined, mostBytes: number) {
    this.#handle = handle;
    this.#mostBytes = mostBytes;
  }

  /** Headers of the next request: ask for the bytes that are missing, of the same version. */
  get continuation(): Record<string, string> {
    return this.#bytes === 0 || this.#version === undefined
      ? {}
      : { range: `bytes=${this.#bytes}-`, 'if-match': `"${this.#version}"` };
  }

  /** Size and hash of what came so far. */
  get content(): Content {
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  async restart(): Promise<void> {
    await this.#handle?.truncate(0);
    this.#hash = createHash('sha256');
    this.#bytes = 0;
  }

  /**
   * Writes the bytes of an answer as they come, before more of them come (see `Incoming`).
   * @param progressed called when there are more bytes than after any earlier attempt
   * @throws TransientError when the answer ends too early, or is another range than the missing one
   */
  async take(
    { status, headers }: Pick<Reply, 'status' | 'headers'>,
    body: Readable,
    progressed: () => void,
  ): Promise<void> {
    // Such as `bytes 4-9/10`.
    const [, start] = /^bytes (\d+)-\d+\/\d+$/.exec(String(headers['content-range'])) ?? [];
    if (status === 206 && Number(start) !== this.#bytes) {
      body.destroy();
      await this.restart();
      throw new TransientError('the answer is not the range that was asked for');
    }
    // A service that ignores the range sends the whole file again.
    if (status !== 206 && this.#bytes > 0) await this.restart();
    this.#version = versionIn(headers);
    for await (const chunk of chunksOf(body)) {
      if (this.#handle !== undefined) appendFileSync(this.#handle.fd, chunk);
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      if (this.#bytes > this.#mostBytes) return;
      if (this.#bytes <= this.#furthest) continue;
      this.#furthest = this.#bytes;
      progressed();
    }
  }
}
