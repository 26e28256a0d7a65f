import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isFromCache } from '../../base/network/from-cache.js';
import { storageError } from '../errors.js';
import { checkKey, isKey } from '../keys.js';
import { TransientError } from '../retry.js';
import type { Content, Entry, Storage, Stored } from '../storage.js';
import { versionIn, type Reply, type S3Client } from './client.js';
import { downloadObject, readObject, type Proof } from './download.js';
import { metadataOf, namesContent, provesContent } from './proof.js';
import { isThere, uploadPieces } from './upload.js';
import { readPage, type Page } from './xml.js';
import { sha256 } from '../../base/hash.js';

/** Metadata of a file that shows which conditional write made it. */
const MARK = 'x-amz-meta-tidemark-write';
const PIECE_BYTES = 16 * 2 ** 20;
/** Size of the pieces of a download. So small that slow connections, too, have time to try again. */
const DOWNLOAD_BYTES = 4 * 2 ** 20;
const MOST_CLOCKS = 4;
const SAME_CLOCK_MS = 3_000;

/** The answer to one request for a file. */
type Found = Stored & {
  mark: unknown;
  /** Whether the metadata proves the content. */
  isProven: boolean;
};

/** Keeps files in an S3-compatible bucket, below a prefix. Versions are ETags. Needs conditional writes. */
export class Bucket implements Storage {
  readonly #client: S3Client;
  readonly #pieceBytes: number;

  /** @param pieceBytes size of the pieces of a large file. S3 refuses uploads in pieces of less than 5 MiB */
  constructor(client: S3Client, pieceBytes = PIECE_BYTES) {
    this.#client = client;
    this.#pieceBytes = pieceBytes;
  }

  get name(): string {
    return this.#client.name;
  }

  async read(key: string): Promise<Stored | undefined> {
    checkKey(key);
    const found = await this.#client.retry(key, () => this.#look(key));
    return found === undefined ? undefined : { body: found.body, version: found.version };
  }

  /** Reads a file until the answers prove what the service has (see proof.ts). */
  async #look(key: string): Promise<Found | undefined> {
    const first = await this.#get(key);
    if (first?.isProven === true) return first;
    const second = await this.#get(key);
    if (second?.isProven === true) return second;
    if (first === undefined && second === undefined) return undefined;
    const isSame = first !== undefined && second !== undefined && first.body.equals(second.body);
    if (isSame && (await this.#isListed(key, second.body.length, second.version))) return second;
    throw new TransientError('the answers contradict each other');
  }

  async #get(key: string): Promise<Found | undefined> {
    const { status, headers, body } = await this.#client.sendOnce({ method: 'GET', key, handles: [404] });
    refuseCached(headers);
    if (status === 404) return undefined;
    const version = versionIn(headers);
    if (version === undefined) throw new TransientError('the service names no version (ETag)');
    return { body, version, mark: headers[MARK], isProven: provesContent(headers, key, sha256(body)) };
  }

  /** Whether the list names a file with this size and version. */
  async #isListed(key: string, bytes: number, version: string | undefined): Promise<boolean> {
    if (version === undefined) return false;
    const full = this.#client.fullKey(key);
    const [entry] = (await this.#readPage({ prefix: full, 'max-keys': '1' })).entries;
    return entry?.key === full && entry.bytes === bytes && entry.version === version;
  }

  async *list(prefix: string): AsyncGenerator<Entry> {
    const full = this.#client.fullKey(prefix);
    const cut = full.length - prefix.length;
    let next: string | undefined;
    do {
      const query = { prefix: full, ...(next !== undefined && { 'continuation-token': next }) };
      const page: Page = await this.#client.retry(undefined, () => this.#readPage(query));
      if (page.next !== undefined && page.next === next)
        throw storageError('unreachable', this, 'the list', 'does not end: its next page is the same one');
      for (const { key, bytes } of page.entries) {
        // Other programs may keep files in the bucket whose names are no keys, such as markers of folders.
        const own = key.slice(cut);
        if (isKey(own)) yield { key: own, bytes };
      }
      next = page.next;
    } while (next !== undefined);
  }

  async create(key: string, body: Uint8Array): Promise<string> {
    return this.#write({ key, body, headers: { 'if-none-match': '*' } }, (found) => {
      if (found !== undefined) throw storageError('exists', this, key, 'exists already');
    });
  }

  async replace(key: string, body: Uint8Array, version: string): Promise<string> {
    return this.#write({ key, body, headers: { 'if-match': `"${version}"` } }, (found) => {
      if (found?.version !== version) throw storageError('changed', this, key, 'was changed by another process');
    });
  }

  async upload(key: string, file: string): Promise<Content> {
    checkKey(key);
    if ((await stat(file)).size > this.#pieceBytes) return uploadPieces(this.#client, key, file, this.#pieceBytes);
    const body = await readFile(file);
    const content = { bytes: body.length, sha256: sha256(body) };
    const call = { method: 'PUT', key, body, headers: metadataOf(key, content.sha256) } as const;
    await this.#client.retry(key, async () => {
      const reply = await this.#client.sendOnce(call);
      // Without a condition, any write of this content will do.
      if (!namesContent(reply, body) && !(await isThere(this.#client, key, content)))
        throw new TransientError('the file does not have the content that was sent');
    });
    return content;
  }

  async download(key: string, file: string, expected?: Content): Promise<Content> {
    checkKey(key);
    return downloadObject(this.#client, key, file, this.#proof(key, expected));
  }

  async digest(key: string, expected?: Content): Promise<Content> {
    checkKey(key);
    return readObject(this.#client, key, this.#proof(key, expected));
  }

  #proof(key: string, expected: Content | undefined): Proof {
    return {
      expected,
      isListed: (bytes, version) => this.#client.retry(undefined, () => this.#isListed(key, bytes, version)),
      pieceBytes: Math.min(this.#pieceBytes, DOWNLOAD_BYTES),
    };
  }

  async remove(key: string): Promise<void> {
    checkKey(key);
    await this.#client.retry(key, async () => {
      const { status } = await this.#client.sendOnce({ method: 'DELETE', key, handles: [404] });
      if (status === 404 && (await this.#look(key)) !== undefined)
        throw new TransientError('the answers contradict each other');
    });
  }

  async serviceTime(): Promise<Date | undefined> {
    let before: { differs: number } | undefined;
    for (let attempt = 0; attempt < MOST_CLOCKS; attempt++) {
      const at = await this.#askTime();
      if (at === undefined) return undefined;
      // One wrong answer is not believed. Answers have whole seconds, so two of them may differ by one second and a bit.
      const differs = at.getTime() - Date.now();
      if (before !== undefined && Math.abs(differs - before.differs) < SAME_CLOCK_MS) return at;
      before = { differs };
    }
    return undefined;
  }

  async #askTime(): Promise<Date | undefined> {
    // A service that refuses the request, also because of a wrong clock, says its time, too.
    const handles = [301, 307, 400, 401, 403, 404, 405];
    const call = { method: 'HEAD', key: 'doctor-clock', handles } as const;
    const { headers } = await this.#client.retry(call.key, () => this.#client.sendOnce(call));
    const at = isFromCache((name) => headers[name]?.toString()) ? Number.NaN : Date.parse(String(headers['date']));
    return Number.isNaN(at) ? undefined : new Date(at);
  }

  /**
   * Sends a conditional write until it is decided. If the answer to an attempt was lost or wrong, a later attempt may fail because
   * the earlier one succeeded. So the file itself decides: it carries the mark of the write that made it.
   * @param headers the condition of the write
   * @param refuse throws if the condition is not met with this file in the bucket
   */
  async #write(
    { key, body, headers }: { key: string; body: Uint8Array; headers: Record<string, string> },
    refuse: (found: Stored | undefined) => void,
  ): Promise<string> {
    checkKey(key);
    const mark = randomUUID();
    const metadata = { [MARK]: mark, ...metadataOf(key, sha256(body)) };
    const call = { method: 'PUT', key, body, headers: { ...headers, ...metadata }, handles: [404, 409, 412] } as const;
    return this.#client.retry(key, async () => {
      const reply = await this.#client.sendOnce(call);
      const version = reply.status === 200 && namesContent(reply, body) ? versionIn(reply.headers) : undefined;
      if (version !== undefined) return version;
      const found = await this.#look(key);
      if (found?.mark === mark) return found.version;
      refuse(found);
      // The answer was wrong. Or 409: another request changes the same file, and the service has not decided yet.
      throw new TransientError('the file does not have the content that was sent');
    });
  }

  async #readPage(query: { prefix: string; [name: string]: string }): Promise<Page> {
    const { headers, body } = await this.#client.sendOnce({ method: 'GET', query: { 'list-type': '2', ...query } });
    refuseCached(headers);
    try {
      return readPage(body.toString('utf8'), query.prefix);
    } catch (error) {
      throw new TransientError((error as Error).message, { cause: error });
    }
  }
}

/** @throws TransientError for an answer from a cache, which may be older than the last write */
function refuseCached(headers: Reply['headers']): void {
  if (isFromCache((name) => headers[name]?.toString())) throw new TransientError('a cache answers, not the service');
}
