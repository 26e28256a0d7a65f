import { randomUUID } from 'node:crypto';
import { isFromCache } from '../../core/from-cache.js';
import { storageError } from '../errors.js';
import { checkKey, isKey } from '../keys.js';
import { TransientError } from '../retry.js';
import type { Content, Entry, Storage, Stored } from '../storage.js';
import { versionIn, type S3Client } from './client.js';
import { downloadObject } from './download.js';
import { uploadFile } from './upload.js';
import { readPage, type Page } from './xml.js';

/** Metadata of a file that shows which conditional write made it. */
const MARK = 'x-amz-meta-tidemark-write';

/** Keeps files in an S3-compatible bucket, below a prefix. Versions are ETags. Needs conditional writes. */
export class Bucket implements Storage {
  readonly #client: S3Client;
  readonly #pieceBytes: number | undefined;

  /** @param pieceBytes size of the pieces of an upload. Default: 16 MiB; S3 refuses less than 5 MiB */
  constructor(client: S3Client, pieceBytes?: number) {
    this.#client = client;
    this.#pieceBytes = pieceBytes;
  }

  get name(): string {
    return this.#client.name;
  }

  async read(key: string): Promise<Stored | undefined> {
    const found = await this.#read(key);
    return found === undefined ? undefined : { body: found.body, version: found.version };
  }

  async #read(key: string): Promise<(Stored & { mark: unknown }) | undefined> {
    checkKey(key);
    return this.#client.retry(key, async () => {
      const { status, headers, body } = await this.#client.sendOnce({ method: 'GET', key, handles: [404] });
      if (status === 404) return undefined;
      const version = versionIn(headers);
      if (version === undefined) throw new TransientError('the service names no version (ETag)');
      return { body, version, mark: headers[MARK] };
    });
  }

  async readRange(key: string, start: number, length: number): Promise<Buffer> {
    checkKey(key);
    if (length === 0) return Buffer.alloc(0);
    const { status, body } = await this.#client.send({
      method: 'GET',
      key,
      headers: { range: `bytes=${start}-${start + length - 1}` },
      handles: [404, 416],
    });
    if (status === 404) throw storageError('missing', this, key, 'does not exist');
    if (status === 416) return Buffer.alloc(0);
    // A service may ignore the range and answer 200 with the whole file.
    return status === 206 ? body.subarray(0, length) : body.subarray(start, start + length);
  }

  async *list(prefix: string): AsyncGenerator<Entry> {
    const full = this.#client.fullKey(prefix);
    const cut = full.length - prefix.length;
    let next: string | undefined;
    do {
      const page = await this.#readPage(full, next);
      for (const { key, bytes } of page.entries) {
        // Other programs may keep files in the bucket whose names are no keys, such as markers of folders.
        const own = key.slice(cut);
        if (isKey(own)) yield { key: own, bytes };
      }
      next = page.next;
    } while (next !== undefined);
  }

  async create(key: string, body: Uint8Array): Promise<string> {
    return this.#write(
      { key, body, headers: { 'if-none-match': '*' } },
      (found) => found !== undefined,
      () => storageError('exists', this, key, 'exists already'),
    );
  }

  async replace(key: string, body: Uint8Array, version: string): Promise<string> {
    return this.#write(
      { key, body, headers: { 'if-match': `"${version}"` } },
      (found) => found?.version !== version,
      () => storageError('changed', this, key, 'was changed by another process'),
    );
  }

  async upload(key: string, file: string): Promise<Content> {
    checkKey(key);
    return uploadFile(this.#client, key, file, this.#pieceBytes);
  }

  async download(key: string, file: string, expected?: Content): Promise<Content> {
    checkKey(key);
    return downloadObject(this.#client, key, file, expected);
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    await this.#client.send({ method: 'DELETE', key, handles: [404] });
  }

  async serviceTime(): Promise<Date | undefined> {
    // A service that refuses the request, also because of a wrong clock, says its time, too.
    const handles = [301, 307, 400, 401, 403, 404, 405];
    const { headers } = await this.#client.send({ method: 'HEAD', key: 'doctor-clock', handles });
    const at = isFromCache((name) => headers[name]?.toString()) ? Number.NaN : Date.parse(headers.date ?? '');
    return Number.isNaN(at) ? undefined : new Date(at);
  }

  /**
   * Sends a conditional write until it is decided. If the answer to an attempt was lost, a later attempt may fail
   * because the earlier one succeeded. So the file itself decides: it carries the mark of the write that made it.
   * @param isLost whether the write can no longer succeed, with this file in the bucket
   */
  async #write(
    { key, body, headers }: { key: string; body: Uint8Array; headers: Record<string, string> },
    isLost: (found: Stored | undefined) => boolean,
    lost: () => Error,
  ): Promise<string> {
    checkKey(key);
    const mark = randomUUID();
    const call = { method: 'PUT', key, body, headers: { ...headers, [MARK]: mark }, handles: [404, 409, 412] } as const;
    let uncertain = false;
    return this.#client.retry(key, async () => {
      try {
        const reply = await this.#client.sendOnce(call);
        const version = reply.status <= 299 ? versionIn(reply.headers) : undefined;
        if (version !== undefined) return version;
        if (reply.status === 412 && !uncertain) throw lost();
      } catch (error) {
        if (error instanceof TransientError) uncertain = true;
        throw error;
      }
      const found = await this.#read(key);
      if (found?.mark === mark) return found.version;
      if (isLost(found)) throw lost();
      // 409: another request changes the same file, and the service has not decided yet.
      uncertain = true;
      throw new TransientError('another request changes the same file');
    });
  }

  async #readPage(prefix: string, token: string | undefined): Promise<Page> {
    const query = { 'list-type': '2', prefix, ...(token === undefined ? {} : { 'continuation-token': token }) };
    return this.#client.retry(undefined, async () => {
      const { body } = await this.#client.sendOnce({ method: 'GET', query });
      try {
        return readPage(body.toString('utf8'));
      } catch (error) {
        throw new TransientError((error as Error).message, { cause: error });
      }
    });
  }
}
