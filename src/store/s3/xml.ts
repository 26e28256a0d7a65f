import { parseXml, XmlElement } from '@rgrove/parse-xml';
import type { Entry } from '../storage.js';

/** A file as a list names it. */
export interface ListedEntry extends Entry {
  /** Version (ETag), if the list names it. */
  version: string | undefined;
}

/** One page of a list. */
export interface Page {
  entries: ListedEntry[];
  /** Where the next page begins; undefined for the last page. */
  next: string | undefined;
}

/** Returns the code of an S3 error, such as `NoSuchKey`; undefined if the body is no such error. */
export function readErrorCode(body: string): string | undefined {
  const root = body.includes('<Error') ? readRoot(body, 'Error') : undefined;
  const code = root && (textOf(root, 'Code') ?? '');
  // Only letters: other text could contain what the server knows about the request.
  return code === undefined || /^[A-Za-z]{1,64}$/.test(code) ? code : 'Error';
}

/**
 * Reads an answer of ListObjectsV2.
 * @param prefix the beginning of the keys that the request asked for
 * @throws Error when the body is no such answer, or the answer to another request
 */
export function readPage(body: string, prefix: string): Page {
  const root = readRoot(body, 'ListBucketResult');
  if (root === undefined) throw new Error('the answer is no list of a bucket');
  if ((textOf(root, 'Prefix') ?? prefix) !== prefix) throw new Error('the list is about other keys');
  const entries = childrenOf(root, 'Contents').map((entry) => readEntry(entry, prefix));
  if (Number(textOf(root, 'KeyCount') ?? entries.length) !== entries.length)
    throw new Error('the list has another number of keys than it says');
  const isTruncated = textOf(root, 'IsTruncated');
  if (isTruncated === 'false') return { entries, next: undefined };
  const next = textOf(root, 'NextContinuationToken');
  if (isTruncated !== 'true' || !next) throw new Error('the list does not say where it ends');
  return { entries, next };
}

function readEntry(entry: XmlElement, prefix: string): ListedEntry {
  const [key, bytes] = [textOf(entry, 'Key'), Number(textOf(entry, 'Size') || Number.NaN)];
  if (key === undefined || !Number.isSafeInteger(bytes) || bytes < 0)
    throw new Error('the list has an entry without key or size');
  if (!key.startsWith(prefix)) throw new Error('the list is about other keys');
  return { key, bytes, version: textOf(entry, 'ETag')?.replaceAll('"', '') };
}

/** Returns the id of a new multipart upload; undefined if the body has none. */
export function readUploadId(body: string): string | undefined {
  const root = readRoot(body, 'InitiateMultipartUploadResult');
  return (root && textOf(root, 'UploadId')) || undefined;
}

/** Whether the body says that the pieces of an upload were joined. */
export function saysJoined(body: string): boolean {
  return readRoot(body, 'CompleteMultipartUploadResult') !== undefined;
}

/** Writes the request that joins the pieces of a multipart upload. `etags` has the order of the pieces. */
export function writePieces(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>&quot;${etag}&quot;</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

/** Reads XML whose root has this name. Undefined if the body is something else. */
function readRoot(body: string, name: string): XmlElement | undefined {
  try {
    const { root } = parseXml(body);
    return root?.name === name ? root : undefined;
  } catch {
    return undefined;
  }
}

function childrenOf(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((child) => child instanceof XmlElement).filter((child) => child.name === name);
}

function textOf(parent: XmlElement, name: string): string | undefined {
  return childrenOf(parent, name)[0]?.text;
}
