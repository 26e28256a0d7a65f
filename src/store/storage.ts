/*
 * Files by key, in a local folder or in a bucket. All processes that share work see the same files through it.
 *
 * - A reader sees a whole file or no file. An interrupted write leaves nothing that readers see.
 * - After a write has returned, every later read and list sees the written file.
 * - `create` and `replace` decide races: of several writers, exactly one succeeds.
 */

/** A file as `read` returns it. */
export interface Stored {
  body: Buffer;
  /** Identifies the content. Pass it to `replace`. Equal bytes have equal versions. */
  version: string;
}

/** A file as `list` returns it. */
export interface Entry {
  key: string;
  bytes: number;
}

/** Size and hash of a whole file. */
export interface Content {
  bytes: number;
  /** SHA-256 in hex. */
  sha256: string;
}

/**
 * A place for files. All methods throw `StorageError`; see `Reason` for the cases. A key is a relative path with `/`
 * (see `checkKey`). No key may be a folder of another key.
 */
export interface Storage {
  /** Name for messages: `s3://bucket/prefix` or the path of the folder. */
  readonly name: string;

  /** Returns a whole file, or undefined if there is none. For files that fit into memory. */
  read(key: string): Promise<Stored | undefined>;

  /** Lists all files whose key begins with `prefix`, sorted by the bytes of the key. Reads page by page. */
  list(prefix: string): AsyncIterable<Entry>;

  /**
   * Writes a new file. Of several writers, one succeeds. If the answer was lost, finds out whether the write succeeded.
   * In one case, a successful writer gets `exists`: its answer was lost, and another writer has replaced the file since.
   * @returns the version of the file
   * @throws StorageError `exists`
   */
  create(key: string, body: Uint8Array): Promise<string>;

  /**
   * Replaces a file if it still has this version. Of several writers, one succeeds; lost answers as for `create`. Do not
   * write earlier bytes again: the old version would be valid again. A number that grows prevents this.
   * @returns the new version of the file
   * @throws StorageError `changed`, also if the file was removed
   */
  replace(key: string, body: Uint8Array, version: string): Promise<string>;

  /**
   * Writes a file of any size from disk, in pieces. Replaces an existing file, so the key must belong to this writer
   * alone. The file on disk must not change meanwhile.
   * @returns size and hash of the bytes that were sent
   */
  upload(key: string, file: string): Promise<Content>;

  /**
   * Copies a file of any size to disk. The target appears when it is complete and matches `expected`.
   * @throws StorageError `missing`, or `damaged` if size or hash differ from `expected`
   */
  download(key: string, file: string, expected?: Content): Promise<Content>;

  /** As `download`, but keeps nothing of the file: only reads it completely. */
  digest(key: string, expected?: Content): Promise<Content>;

  /** Removes a file. Does nothing if there is none. No other process may write the file meanwhile. */
  remove(key: string): Promise<void>;

  /**
   * Asks for the time of the service, in whole seconds. Undefined if the service does not say it.
   * A folder has no clock, and not this method.
   * @throws StorageError `unreachable`
   */
  serviceTime?(): Promise<Date | undefined>;
}
